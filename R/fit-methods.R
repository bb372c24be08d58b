# Methods of the class stableFit.

#' Methods for fits of stable laws
#'
#' What base R offers for fitted models, for the result of [stableFit()].
#'
#' @param object,x a fit by [stableFit()], or its summary.
#' @param parm names or numbers of the parameters wanted; by default all four.
#' @param level confidence level, between 0 and 1.
#' @param digits number of significant digits of the estimates; log likelihoods have three more.
#' @param ... not used.
#' @return `confint` gives a matrix with the lower and upper limits of `parm` from the normal approximation, `NA`
#'   where there is no standard error; `summary` an object of class `summary.stableFit`, a list with `fit`, `confint`,
#'   `aic` and `bic`, which prints as a table; `print` its argument, invisibly; the others what their names say.
#' @name stableFit-methods
#' @seealso [stableFit()], [plot.stableFit()]
#' @examples
#' fit <- stableFit(diff(log(datasets::EuStockMarkets[, "CAC"])))
#' summary(fit, level = 0.9)
#' confint(fit, c("alpha", "beta"))
NULL

#' @rdname stableFit-methods
#' @importFrom stats coef confint logLik nobs vcov
#' @export
coef.stableFit <- function(object, ...) object$coefficients

#' @rdname stableFit-methods
#' @export
vcov.stableFit <- function(object, ...) object$vcov

#' @rdname stableFit-methods
#' @export
nobs.stableFit <- function(object, ...) if (is.null(object$weights)) length(object$x) else sum(object$weights)

#' @rdname stableFit-methods
#' @export
logLik.stableFit <- function(object, ...)
  structure(object$loglik, df = sum(!object$fixed), nobs = nobs(object), class = "logLik")

#' @rdname stableFit-methods
#' @export
confint.stableFit <- function(object, parm, level = 0.95, ...) {
  if (!is.numeric(level) || length(level) != 1L || is.na(level) || level <= 0 || level >= 1)
    input_error("level", level, "must be a number between 0 and 1")
  estimate <- coef(object)
  parameters <- names(estimate)
  if (missing(parm)) parm <- parameters
  if (is.numeric(parm)) parm <- parameters[parm]
  if (anyNA(match(parm, parameters)))
    input_error("parm", setdiff(parm, parameters), "must name parameters of the fit")
  tail <- c(1 - level, 1 + level) / 2
  limits <- estimate + outer(sqrt(diag(vcov(object))), stats::qnorm(tail))
  colnames(limits) <- paste(format(100 * tail, trim = TRUE, digits = 3), "%")
  limits[parm, , drop = FALSE]
}

# What the table of estimates says about a parameter that has no standard error.
fit_notes <- function(object) {
  note <- ifelse(object$fixed, "fixed", ifelse(nzchar(object$boundary), "on the boundary", ""))
  if (object$boundary[["alpha"]] == "upper" && !object$fixed[["beta"]]) note[["beta"]] <- "no effect"
  note
}

fit_table <- function(object, digits) {
  error <- sqrt(diag(vcov(object)))
  data.frame(Estimate = format(coef(object), digits = digits),
             "Std. Error" = ifelse(is.na(error), "", format(error, digits = max(digits - 1L, 2L))),
             " " = fit_notes(object), check.names = FALSE)
}

boundary_text <- function(object) {
  b <- object$boundary
  beta <- coef(object)[["beta"]]
  as.character(c(if (b[["alpha"]] == "upper") "alpha is on its boundary 2: the normal law. beta has no effect.",
    if (b[["alpha"]] == "lower")
      "alpha is at the lower end of the search: the likelihood grows without bound beyond.",
    if (nzchar(b[["beta"]])) sprintf("beta is on its boundary %g.", beta),
    if (coef(object)[["alpha"]] < 1 && abs(beta) == 1)
      sprintf("The law has no mass %s its end point.", if (beta > 0) "below" else "above"),
    if (!object$converged) "The likelihood has not been maximised."))
}

#' @rdname stableFit-methods
#' @export
print.stableFit <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  cat("Stable law by maximum likelihood, pm = ", x$pm, "\n\n", sep = "")
  print(fit_table(x, digits), right = TRUE)
  cat(sprintf("\nlog likelihood %s (df = %d), %s observations\n", format(x$loglik, digits = digits + 3L),
              sum(!x$fixed), format(nobs(x))))
  writeLines(boundary_text(x))
  invisible(x)
}

#' @rdname stableFit-methods
#' @export
summary.stableFit <- function(object, level = 0.95, ...)
  structure(list(fit = object, confint = confint(object, level = level), aic = stats::AIC(object),
                 bic = stats::BIC(object)), class = "summary.stableFit")

#' @rdname stableFit-methods
#' @export
print.summary.stableFit <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  fit <- x$fit
  cat("Stable law by maximum likelihood, pm = ", fit$pm, "\n\nCall: ", paste(deparse(fit$call), collapse = "\n"),
      "\n\n", sep = "")
  limits <- format(x$confint, digits = digits)
  limits[is.na(x$confint)] <- ""
  table <- fit_table(fit, digits)
  print(cbind(table[1:2], limits, table[3]), right = TRUE)
  shown <- function(value) format(value, digits = digits + 3L)
  cat(sprintf("\nlog likelihood %s (df = %d), AIC %s, BIC %s, %s observations\n", shown(fit$loglik), sum(!fit$fixed),
              shown(x$aic), shown(x$bic), format(nobs(fit))))
  cat(sprintf("%d Newton steps, %s densities\n", fit$iterations, format(fit$evaluations, big.mark = ",")))
  writeLines(boundary_text(fit))
  invisible(x)
}

#' Plots of a fitted stable law
#'
#' Three views of how well a stable law fits: its density on the histogram, quantiles of the sample against its own,
#' and both tails on logarithmic axes, where those of a stable law become straight lines of slope `-alpha`.
#'
#' Quantiles and tail probabilities of the law come from numerical integration of its density, to plotting accuracy.
#' The histogram shows the centre of the sample where the tails reach far beyond it.
#'
#' @param x a fit by [stableFit()].
#' @param which the plots wanted, any of `"density"`, `"qq"` and `"tail"`.
#' @param log if `TRUE`, the density has a logarithmic axis, and the quantiles are shown as
#'   `asinh((x - delta)/gamma)`, which keeps the centre and makes the tails logarithmic.
#' @param ask if `TRUE`, ask before each plot.
#' @param ... further graphical parameters, such as `main` or `col`, for the first call of each plot.
#' @return `x`, invisibly.
#' @examples
#' fit <- stableFit(diff(log(datasets::EuStockMarkets[, "CAC"])))
#' plot(fit, "density", log = TRUE)
#' @importFrom graphics plot
#' @export
plot.stableFit <- function(x, which = c("density", "qq", "tail"), log = FALSE,
                           ask = length(which) > 1L && grDevices::dev.interactive(), ...) {
  which <- match.arg(which, several.ok = TRUE)
  if (ask) {
    old <- grDevices::devAskNewPage(TRUE)
    on.exit(grDevices::devAskNewPage(old))
  }
  for (view in which)
    switch(view, density = plot_density(x, log, ...), qq = plot_qq(x, log, ...), tail = plot_tail(x, ...))
  invisible(x)
}

# Arguments of the user before the defaults.
call_plot <- function(f, defaults, ...) {
  given <- list(...)
  do.call(f, c(given, defaults[!names(defaults) %in% names(given)]))
}

plot_density <- function(fit, log, ...) {
  x <- fit$x
  weights <- if (is.null(fit$weights)) rep(1, length(x)) else fit$weights
  middle <- stats::quantile(x, c(0, 0.25, 0.5, 0.75, 1), names = FALSE)
  reach <- 12 * (middle[4] - middle[2])
  if (reach == 0) reach <- diff(range(x))
  limits <- c(max(min(x), middle[3] - reach), min(max(x), middle[3] + reach))
  shown <- x >= limits[1] & x <= limits[2]
  width <- max(2 * (middle[4] - middle[2]) / length(x)^(1 / 3), diff(limits) / 200)
  breaks <- seq(limits[1], limits[2], length.out = max(5, ceiling(diff(limits) / width)) + 1)
  counts <- vapply(split(weights[shown], cut(x[shown], breaks, labels = FALSE, include.lowest = TRUE)), sum, 1)
  height <- numeric(length(breaks) - 1)
  height[as.integer(names(counts))] <- counts / sum(weights) / diff(breaks)[1]
  grid <- seq(limits[1], limits[2], length.out = 801)
  density <- do.call(dstable, c(list(grid), as.list(coef(fit)), pm = fit$pm))
  top <- max(height, density[is.finite(density)])
  floor <- if (log) 0.5 * min(height[height > 0]) else 0
  hidden <- sum(weights[!shown])
  call_plot(graphics::plot.default,
            list(x = limits, y = c(floor, top), type = "n", log = if (log) "y" else "", xlab = "x",
                 ylab = "density", main = "Density",
                 sub = if (hidden > 0) paste(format(hidden), "observations beyond"), las = if (log) 0 else 1), ...)
  bar <- height > 0
  graphics::rect(breaks[-length(breaks)][bar], if (log) floor / 10 else 0, breaks[-1][bar], height[bar],
                 col = "grey88", border = "grey65")
  graphics::lines(grid, pmax(density, floor / 10), col = "#b2182b", lwd = 2)
  graphics::box()
}

# Distribution of the fitted law on a grid that is dense at its centre and reaches out as far as probability tail:
# location x and the probabilities below and above.
fit_distribution <- function(fit, tail) {
  p <- as.list(coef(fit))
  centre <- p$delta
  if (fit$pm == 0 && p$alpha < 0.8) centre <- p$delta - p$beta * p$gamma * tan(pi * p$alpha / 2)
  end <- min(asinh(10) + (5 - log(tail)) / p$alpha, 600)
  s <- seq(-end, end, length.out = 20001)
  x <- centre + p$gamma * sinh(s)
  f <- do.call(dstable, c(list(x), p, pm = fit$pm)) * p$gamma * cosh(s)
  f[!is.finite(f)] <- 0
  piece <- (f[-1] + f[-length(f)]) / 2 * diff(s)[1]
  below <- c(0, cumsum(piece))
  above <- c(rev(cumsum(rev(piece))), 0)
  list(x = x, s = s, below = below / above[1], above = above / above[1])
}

plot_qq <- function(fit, log, ...) {
  x <- order_sample(fit)
  p <- x$rank
  law <- fit_distribution(fit, min(p, 1 - p))
  lower <- law$below < 0.5
  quantile <- function(p, probability, keep) {
    keep <- keep & probability > 0 & !duplicated(probability)
    stats::approx(log(probability[keep]), law$s[keep], log(p), rule = 2)$y
  }
  s <- ifelse(p < 0.5, quantile(p, law$below, lower), quantile(1 - p, law$above, !lower))
  parameters <- coef(fit)
  theory <- stats::approx(law$s, law$x, s)$y
  sample <- x$x
  labels <- c("quantiles of the fitted law", "quantiles of the sample")
  if (log) {
    standard <- function(v) asinh((v - parameters[["delta"]]) / parameters[["gamma"]])
    theory <- standard(theory)
    sample <- standard(sample)
    labels <- paste(labels, "(asinh scale)")
  }
  call_plot(graphics::plot.default,
            list(x = theory, y = sample, xlab = labels[1], ylab = labels[2], main = "Quantiles", pch = 16, cex = 0.5,
                 col = "#2166ac", las = 1), ...)
  graphics::abline(0, 1, col = "grey45")
}

# The sample in order, with the probability that lies below each observation, half of its own weight included.
order_sample <- function(fit) {
  o <- order(fit$x)
  w <- if (is.null(fit$weights)) rep(1, length(o)) else fit$weights[o]
  list(x = fit$x[o], weight = w / sum(w), rank = (cumsum(w) - w / 2) / sum(w))
}

plot_tail <- function(fit, ...) {
  x <- order_sample(fit)
  delta <- coef(fit)[["delta"]]
  law <- fit_distribution(fit, min(x$rank, 1 - x$rank))
  side <- function(sign) {
    keep <- sign * (x$x - delta) > 0
    at <- sign * (law$x - delta) > 0 & (if (sign > 0) law$above else law$below) > 0
    list(t = abs(x$x - delta)[keep], p = (if (sign > 0) 1 - x$rank else x$rank)[keep],
         law_t = abs(law$x - delta)[at], law_p = (if (sign > 0) law$above else law$below)[at])
  }
  sides <- list(side(1), side(-1))
  t <- unlist(lapply(sides, `[[`, "t"))
  p <- unlist(lapply(sides, `[[`, "p"))
  colour <- c("#b2182b", "#2166ac")
  call_plot(graphics::plot.default,
            list(x = c(stats::quantile(t, 0.1), max(t)), y = range(p), log = "xy", type = "n",
                 xlab = "distance from delta", ylab = "tail probability", main = "Tails"), ...)
  for (k in 1:2) {
    graphics::points(sides[[k]]$t, sides[[k]]$p, pch = 16, cex = 0.5, col = colour[k])
    graphics::lines(sides[[k]]$law_t, sides[[k]]$law_p, col = colour[k], lwd = 1.5)
  }
  graphics::legend("bottomleft", c("upper", "lower"), col = colour, pch = 16, lwd = 1.5, bty = "n")
}

check_level <- function(level) {
  if (!is.numeric(level) || length(level) != 1L || is.na(level) || level <= 0 || level >= 1)
    input_error("level", level, "must be a number between 0 and 1")
}
