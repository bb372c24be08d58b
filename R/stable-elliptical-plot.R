# Plots of the class mstableFit.

#' @rdname mstableFit-methods
#' @export
plot.mstableFit <- function(x, which = c("pairs", "qq"), level = 0.95, ask = NULL, ...) {
  which <- plot_views(which, c("pairs", "qq"))
  if (!is_one_na(level)) check_level(level)
  if (length(x$delta) == 1L) which <- "qq"
  draw_views(which, ask, function(view)
    if (view == "pairs") plot_fit_pairs(x, ...) else draw_picture(radius_picture(x, level), ...))
  invisible(x)
}

#' @rdname autoplot
#' @exportS3Method ggplot2::autoplot
autoplot.mstableFit <- function(object, level = 0.95, ...) {
  warn_extra(...)
  if (!is_one_na(level)) check_level(level)
  gg_picture(radius_picture(object, level))
}

plot_fit_pairs <- function(fit, ...) {
  d <- min(length(fit$delta), 8L)
  data <- fit$x[, seq_len(d), drop = FALSE]
  if (is.null(colnames(data))) colnames(data) <- paste("variable", seq_len(d))
  radius <- qmstableRadius(c(0.5, 0.95, 0.99), fit$alpha, 2)
  angle <- seq(0, 2 * pi, length.out = 181)
  circle <- cbind(cos(angle), sin(angle))
  at <- matrix(0L, 0L, 2L)
  for (i in seq_len(d)) for (j in seq_len(d)) if (i != j) at <- rbind(at, c(i, j))
  panel <- 0L
  # pairs() goes along the rows, and has all panels but those of the diagonal
  graphics::pairs(data, panel = function(a, b, ...) {
    panel <<- panel + 1L
    here <- at[panel, 2:1]
    graphics::points(a, b, ...)
    root <- chol(fit$S[here, here])
    for (one in radius) {
      ellipse <- one * circle %*% root
      graphics::lines(fit$delta[here[1L]] + ellipse[, 1L], fit$delta[here[2L]] + ellipse[, 2L],
                      col = plot_colours[["fit"]])
    }
  }, pch = ".", ...)
}

# Of rows with gaps the radius of as many variables as others have, with the same probability.
radius_picture <- function(fit, level) {
  r <- fit_radii(fit)
  d <- length(fit$delta)
  radius <- r$radius
  some <- which(r$size < d & r$size > 0L)
  if (length(some)) radius[some] <- qmstableRadius(radius_tails(r, fit$alpha)[some, 1L], fit$alpha, d, log.p = TRUE)
  weight <- if (is.null(fit$weights)) rep(1, length(radius)) else fit$weights
  used <- which(r$size > 0L & weight > 0)
  sample <- in_order(radius[used], weight[used])
  i <- shown_points(length(used))
  place <- function(lower, upper) qmstableRadius(lower, fit$alpha, d, log.p = TRUE)
  x <- place(log(sample$rank[i]))
  y <- sample$x[i]
  picture("Quantiles of the radius", "quantiles of the fitted distribution", "quantiles of the sample",
          points_layers(sample, i, x, y, level, place), range(x), range(x, y), log = "xy")
}
