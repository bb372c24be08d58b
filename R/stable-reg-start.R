# Starts of the search for linear models with stable errors, and the best of what they lead to.

# Robust start: least squares with weights 1/max(|residual|, their median), between least absolute deviations, which
# would go through some of the observations and suggest a peak there, and least squares.
reg_robust <- function(p) {
  location <- unname(p$normal)
  for (round in 1:100) {
    rest <- abs(p$y - drop(p$q %*% location))
    fit <- stats::lm.wfit(p$q, p$y, p$w / pmax(rest, stats::median(rest), .Machine$double.xmin))
    change <- max(abs(p$q %*% (fit$coefficients - location)), 0)
    if (is.na(change)) break
    location <- unname(fit$coefficients)
    if (change < 1e-3 * stats::median(abs(fit$residuals))) break
  }
  location
}

# Law of the errors for given coefficients, whose part in the direction of the constant is set with it.
reg_law <- function(p, location, fixed) {
  rest <- p$y - drop(p$q %*% location)
  known <- as.list(fixed[!is.na(fixed)])
  if (is.null(p$unit)) known$delta <- 0
  middle <- stats::quantile(rest, c(0.25, 0.5, 0.75), names = FALSE)
  rough <- c(alpha = 1.5, beta = 0, gamma = max((middle[3L] - middle[1L]) / 2, 1e-3 * max(abs(rest))),
             delta = if (is.null(p$unit)) 0 else middle[2L])
  rough[names(fixed)[!is.na(fixed)]] <- fixed[!is.na(fixed)]
  law <- if (length(known) == 4L) rough
         else tryCatch(suppressWarnings(coef(stableFit(rest, fixed = known, weights = p$w))),
                       statcl_error = function(e) rough)
  if (!all(is.finite(law))) law <- rough
  reg_start_law(p, law, location + if (is.null(p$unit)) 0 else law[["delta"]] * p$unit, fixed)
}

# Off the boundaries, where the search is not meant to stay on them.
reg_start_law <- function(p, shape, location, fixed) {
  alpha <- if (is.na(fixed[["alpha"]])) min(max(shape[["alpha"]], 1.05 * p$floor), 1.99) else fixed[["alpha"]]
  list(alpha = alpha, beta = shape[["beta"]], gamma = shape[["gamma"]], location = location, frame = 0)
}

reg_names <- function(given, name, known) {
  bad <- if (is.null(names(given))) "(no names)" else setdiff(names(given), known)
  if (length(given) && length(bad)) input_error(name, bad, paste("must have names among", toString(known)))
}

# Checks start: a list of coefficients and shape, each a vector or NULL.
reg_start <- function(start, fixed, p) {
  if (is.null(start)) return(list())
  if (!is.list(start) && !is.numeric(start)) input_error("start", start, "must be a named list")
  start <- as.list(start)
  reg_names(start, "start", c("alpha", "beta", "gamma", "coefficients"))
  b <- start$coefficients
  start$coefficients <- NULL
  columns <- colnames(p$qr$qr)[seq_len(p$rank)]
  if (!is.null(b)) {
    if (!is.numeric(b) || any(!is.finite(b[!is.na(b)]))) input_error("start$coefficients", b, "must be finite")
    if (!is.null(names(b)) && all(columns %in% names(b))) b <- b[columns]
    if (length(b) != p$rank || anyNA(b))
      input_error("start$coefficients", b, paste("must have a value for each of", toString(columns)))
  }
  if (!length(start)) return(list(coefficients = b))
  shape <- fit_values(start, "start")[1:3]
  both <- !is.na(shape) & !is.na(fixed)
  if (any(both)) input_error("start", names(shape)[both], "names a parameter that is fixed")
  none <- is.na(shape) & is.na(fixed)
  if (any(none)) input_error("start", names(start), paste("has no value for", toString(names(shape)[none])))
  list(coefficients = b, shape = ifelse(is.na(fixed), shape, fixed))
}

# The best maximum from all starts: one that is a maximum, and not at the lower end of alpha, comes before any other.
reg_search <- function(p, fixed, start) {
  normal <- if (is.na(fixed[["alpha"]]) || fixed[["alpha"]] == 2) reg_normal(p, fixed)
  if (!is.na(fixed[["alpha"]]) && fixed[["alpha"]] == 2) return(normal)
  k <- seq_len(p$rank)
  robust <- reg_robust(p)
  location <- if (is.null(start$coefficients)) robust
              else drop(qr.R(p$qr)[k, k, drop = FALSE] %*% start$coefficients) / sqrt(nrow(p$q))
  sound <- function(fit)
    fit$why %in% c("maximum", "alpha") && (!is.na(fixed[["alpha"]]) || fit$law$alpha > p$floor)
  best <- NULL
  iterations <- 0L
  # whether a start that is better than the best maximum, or any if that is not sound, leads to a better one
  try <- function(law) {
    if (!is.null(best) && sound(best) && !(reg_loglik(p, law) > best$d$ll + 1e-8)) return(FALSE)
    fit <- reg_maximise(p, law, fixed, normal)
    iterations <<- iterations + fit$iterations
    better <- is.null(best) || sound(fit) > sound(best) || sound(fit) == sound(best) && fit$d$ll > best$d$ll
    if (better) best <<- fit
    better
  }
  try(if (is.null(start$shape)) reg_law(p, location, fixed) else reg_start_law(p, start$shape, location, fixed))
  if (length(start)) try(reg_law(p, robust, fixed)) # a start adds to the others, so that it cannot do harm
  if (!sound(best) && is.na(fixed[["alpha"]])) try(reg_law(p, robust, replace(fixed, "alpha", 1.2)))
  # without slopes; and with the location chosen anew, for alpha < 1 has many maxima of it
  if (!is.null(p$unit) && p$rank > 1L) try(reg_law(p, numeric(p$rank), fixed))
  for (round in 1:3)
    if (!sound(best) || best$law$alpha >= 1 || !try(reg_law(p, reg_reframed(p, best$law, 0)$location, fixed))) break
  if (!is.null(normal) && (normal$d$ll >= best$d$ll || best$why == "alpha")) best <- normal
  best$iterations <- iterations
  best
}
