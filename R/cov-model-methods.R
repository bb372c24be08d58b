# Printing and plotting of covariance models.

#' @rdname covModel
#' @param x a model by `covModel()`.
#' @param digits number of significant digits.
#' @export
format.covModel <- function(x, digits = NULL, ...) {
  x <- checked_model(x)
  shown <- function(p) sprintf("%s = %s", p, format(x[[p]], digits = digits))
  parts <- c(vapply(c("variance", "range", "smoothness"), shown, ""), if (x$nugget > 0) shown("nugget"),
             if (x$scaling != "plain") sprintf("scaling = \"%s\"", x$scaling),
             if (x$distance != "auto") sprintf("distance = \"%s\"", x$distance),
             if (x$ratio != 1) vapply(c("angle", "ratio"), shown, ""),
             if (!is.null(x$scales))
               sprintf("scales = c(%s)", toString(format(x$scales, digits = digits, trim = TRUE))))
  sprintf("%s(%s)", x$name, toString(parts))
}

#' @rdname covModel
#' @export
print.covModel <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  given <- x
  x <- checked_model(x)
  number <- function(v) format(v, digits = digits, trim = TRUE)
  cat("Matern covariance: variance ", number(x$variance), ", range ", number(x$range), ", smoothness ",
      number(x$smoothness), if (x$nugget > 0) c(", nugget ", number(x$nugget)), "\n", sep = "")
  if (x$scaling != "plain") cat("Scaled distance:", scaling_text[[x$scaling]], "\n")
  if (x$distance != "auto")
    cat("Distance: ", distance_text[[x$distance]], if (x$distance %in% c("chordal", "greatcircle"))
      c(" on a sphere of radius ", number(x$radius)), "\n", sep = "")
  if (x$ratio != 1) cat("Anisotropy: major axis at ", number(x$angle), " degrees, range across it ",
                        number(x$ratio * x$range), "\n", sep = "")
  if (!is.null(x$scales)) cat("Ranges of the coordinates:", toString(number(x$scales * x$range)), "\n")
  far <- distance_at(x, 0.05)
  if (is.null(x$scales) && isTRUE(far < longest_distance(x)))
    cat("Correlation 0.05 at distance ", format(far, digits = min(digits, 4L)),
        if (x$ratio != 1) " along the major axis", "\n", sep = "")
  invisible(given)
}

#' @rdname covModel
#' @param object a model by `covModel()`.
#' @export
update.covModel <- function(object, ...) {
  changes <- list(...)
  if (length(changes) && !all(nzchar(c(names(changes), "")[seq_along(changes)])))
    raise_engine_error("input", "update() takes the arguments of covModel() by name")
  model <- unclass(object)
  model[names(changes)] <- changes
  checked_model(model)
}

scaling_text <- c(plain = "distance / range", sqrt2nu = "sqrt(2 * smoothness) * distance / range",
                  sqrt8nu = "sqrt(8 * smoothness) * distance / range")
distance_text <- c(euclidean = "Euclidean", chordal = "chordal", greatcircle = "great circle", given = "as given")

# Covariances at distances along the direction in which the range is that of the model.
isotropic_part <- function(model, r) {
  model$ratio <- 1
  model["scales"] <- list(NULL)
  covariance_of(model, r, NULL, "none")
}

# The distance at which the correlation has fallen to a level; NA where doubles have no such distance.
distance_at <- function(model, level) {
  model$variance <- 1
  above <- function(log_r) isotropic_part(model, exp(log_r)) - level
  # 600 scaled distances below the range even exp(-x) is 1, and above 40 + 4 sqrt(smoothness) everything is below 0.05
  ends <- log(model$range) + c(-600, log(40 + 4 * sqrt(model$smoothness)))
  if (above(ends[1L]) <= 0 || !is.finite(exp(ends[2L]))) return(NA_real_)
  exp(stats::uniroot(above, ends, tol = 1e-8)$root)
}

#' Plot a covariance model
#'
#' Covariance against distance. The range is marked on the axis, and the open circle at distance 0 is the variance of
#' an observation, nugget included. An anisotropic model has a curve for each of its axes. `lines()` adds curves to a
#' plot.
#'
#' @param x a model by [covModel()].
#' @param to largest distance shown; by default a little more than where the correlation has fallen to 0.05, and for
#'   `lines()` where the plot ends.
#' @param n number of distances at which the function is evaluated; they are closest near 0, where it is steepest.
#' @param ... further graphical parameters, such as `main`, `ylim` or `log`.
#' @return `x`, invisibly.
#' @seealso [covModel()]
#' @examples
#' plot(covModel("matern", range = 2, smoothness = 1.5, nugget = 0.2))
#' lines(covModel("matern", range = 2, smoothness = 0.5), col = 2, lty = 2)
#' plot(covModel("matern", range = 2, smoothness = 0.5, angle = 30, ratio = 0.4))
#' @export
plot.covModel <- function(x, to = NULL, n = 201, ...) {
  given <- x
  x <- checked_model(x)
  if (is.null(to)) {
    to <- distance_at(x, 0.04)
    if (is.na(to)) to <- 4 * x$range
    to <- min(to * max(x$scales, 1), longest_distance(x))
  }
  curves <- model_curves(x, to, n)
  log <- as.character(list(...)$log)
  log_axis <- function(axis) any(grepl(axis, log, fixed = TRUE))
  if (log_axis("x")) curves$r[1L] <- NA
  if (log_axis("y")) curves$values[curves$values <= 0] <- NA
  shown <- curves$values[!is.na(curves$r), ]
  top <- x$variance + x$nugget
  bottom <- if (log_axis("y")) min(shown, top, na.rm = TRUE) else 0
  ylim <- if (top == 0) c(0.1 * log_axis("y"), 1) else c(bottom, top)
  call_plot(graphics::matplot,
            list(x = curves$r, y = curves$values, type = "l", lty = 1, lwd = 2, col = curves$colours,
                 xlab = "distance", ylab = "covariance", xlim = to * c(if (log_axis("x")) 1e-3 else 0, 1),
                 ylim = ylim, las = 1), ...)
  graphics::abline(v = curves$axes * x$range, lty = 3, col = curves$colours)
  if (length(curves$axes) == 1L && x$range < to) graphics::mtext("range", 3, 0.2, at = x$range, cex = 0.8)
  if (x$nugget > 0 && !log_axis("x")) graphics::points(0, top, xpd = NA)
  if (length(curves$axes) > 1L)
    graphics::legend("topright", axis_names(x), col = curves$colours, lwd = 2, bty = "n")
  invisible(given)
}

#' @rdname plot.covModel
#' @importFrom graphics lines
#' @export
lines.covModel <- function(x, to = NULL, n = 201, ...) {
  given <- x
  x <- checked_model(x)
  if (is.null(to)) {
    to <- graphics::par("usr")[2L]
    if (graphics::par("xlog")) to <- 10^to
  }
  curves <- model_curves(x, to, n)
  if (graphics::par("xlog")) curves$r[1L] <- NA
  if (graphics::par("ylog")) curves$values[curves$values <= 0] <- NA
  call_plot(graphics::matlines, list(x = curves$r, y = curves$values, lty = 1, lwd = 2, col = curves$colours), ...)
  invisible(given)
}

# A curve for each axis. Near 0 it goes like distance^(2 smoothness), and powers of even steps follow that.
model_curves <- function(model, to, n) {
  check_numbers("to", to, "positive")
  check_numbers("n", n, "positive")
  r <- to * seq(0, 1, length.out = n)^4
  axes <- if (!is.null(model$scales)) model$scales else unique(c(1, model$ratio))
  values <- vapply(axes, function(scale) isotropic_part(model, r / scale), r)
  list(r = r, values = matrix(values, length(r)), axes = axes, colours = rep_len(curve_colours, length(axes)))
}

longest_distance <- function(model) switch(model$distance, chordal = 2, greatcircle = pi, Inf) * model$radius

axis_names <- function(model)
  if (is.null(model$scales)) c("along the major axis", "across it") else paste("coordinate", seq_along(model$scales))

curve_colours <- c("#2166ac", "#b2182b", "#1b7837", "#762a83", "#e08214")
