# Confidence limits of linear models with stable errors from the profile of the likelihood.

# Limits of the parameters `at` of c(coefficients, shape), a row each, with the searches and the fit. The profile
# begins again from a larger maximum that it meets, and a warning hands that over.
reg_profile <- function(object, at, level) {
  if (!reg_settled(object))
    raise_engine_error("input", "the likelihood of the fit was not maximised: it has no profile")
  k <- length(object$coefficients)
  limits <- matrix(NA_real_, length(at), 2L)
  open <- c(!is.na(object$coefficients), !object$fixed)[at]
  if (!any(open)) return(list(limits = limits, fit = object))
  data <- reg_data(object)
  low <- 0
  began <- proc.time()
  done <- 0
  on.exit(progress_loop_done())
  for (attempt in 1:4) {
    s <- reg_searches(object, data, at[open], level)
    more <- 0
    for (round in seq_len(40L)) {
      i <- which(s$state == "open")
      if (!length(i) || (more > 1e-5 && attempt < 4L)) break
      value <- from_coordinate(s$trial[i], s$parameter[i])
      root <- numeric(length(i))
      for (m in seq_along(i)) {
        # most limits take less than ten points
        tried <- s$tries + seq_along(s$tries) %in% i[seq_len(m - 1L)]
        done <- max(done, mean(ifelse(s$state == "open", pmin(tried / 10, 0.9), 1)))
        progress_loop("confint", began, done)
        found <- reg_profile_point(object, data, s$of[i[m]], value[m], s$par[i[m], ])
        fall <- 2 * (object$loglik - found$loglik)
        root[m] <- if (is.na(fall)) Inf else sqrt(max(fall, 0))
        if (!is.na(fall)) s$par[i[m], ] <- found$par
        if (isTRUE(-fall / 2 > more)) {
          more <- -fall / 2
          peak <- found$par
        }
      }
      s <- advance(s, i, root, s$par[i, , drop = FALSE])
    }
    if (more <= 1e-5 || attempt == 4L) break
    start <- list(alpha = peak[k + 1L], beta = peak[k + 2L], gamma = peak[k + 3L])
    start <- c(start[!object$fixed], list(coefficients = peak[which(!is.na(object$coefficients))]))
    better <- reg_fit(data$x, data$y, object$weights, object$offset, object$shape[object$fixed], start)
    if (!reg_settled(better) || better$loglik <= object$loglik + 1e-6) break
    low <- low + better$loglik - object$loglik
    object[names(better)] <- better
  }
  if (low > 0)
    warn(sprintf(paste("the profile has found a larger maximum than the fit, by %s, and is that of the larger one,",
                       "which this warning has in its component fit"), rounded(low)),
         class = "statcl_warning_better_fit", with = list(fit = object))
  label <- paste(names(coef(object, "all"))[s$of], ifelse(s$side < 0, "(lower)", "(upper)"))
  lost <- s$state %in% c("open", "lost")
  if (any(lost)) warn("no profile limit found for ", toString(label[lost]))
  limit <- from_coordinate(s$trial, s$parameter)
  limit[lost] <- NA
  limits[open, ] <- limit
  list(limits = limits, searches = s, fit = object)
}

reg_data <- function(object) {
  frame <- model.frame(object)
  list(x = model.matrix(object), y = model.response(frame))
}

# State of the searches; of: the number of the parameter among c(coefficients, shape).
reg_searches <- function(object, data, at, level) {
  k <- length(object$coefficients)
  kind <- c(rep("coefficient", k), "alpha", "beta", "gamma")[at]
  estimate <- unname(coef(object, "all")[at])
  error <- unname(reg_errors(object)[at])
  n <- object$nobs
  guess <- c(coefficient = 1.5, alpha = 1.5, beta = 3, gamma = 1.3)[kind] / sqrt(n)
  guess <- unname(ifelse(kind == "coefficient", guess * object$unit[at], guess))
  gamma <- object$shape[["gamma"]]
  step <- ifelse(is.na(error), guess, ifelse(kind == "gamma", error / gamma, error))
  none <- c(alpha = NA_real_, beta = NA, gamma = NA)
  floor <- reg_problem(data$x, data$y, object$weights, object$offset, none, 100)$floor
  search_state(rep(at, 2L), kind, estimate, step, sqrt(profile_depth(n, object$df, level)), floor,
               matrix(coef(object, "all"), 2L * length(at), k + 3L, byrow = TRUE))
}

# The largest log likelihood with one parameter at this value, and all parameters there; par: where to begin. A
# coefficient that is known goes with its column into the offset.
reg_profile_point <- function(object, data, which, value, par) {
  k <- length(object$coefficients)
  used <- base::which(!is.na(object$coefficients))
  fixed <- ifelse(object$fixed, object$shape, NA_real_)
  offset <- if (is.null(object$offset)) numeric(length(data$y)) else object$offset
  x <- data$x[, used, drop = FALSE]
  all <- reg_problem(x, data$y, object$weights, offset, fixed, 100)
  p <- all
  kept <- used
  if (which <= k) {
    kept <- setdiff(used, which)
    moved <- offset + value * data$x[, which]
    p <- tryCatch(reg_problem(data$x[, kept, drop = FALSE], data$y, object$weights, moved, fixed, 100),
                  statcl_error_input = function(e) NULL)
    if (is.null(p)) return(list(loglik = NA_real_, par = par))
    p$floor <- all$floor
  } else {
    fixed[[which - k]] <- value
  }
  kept <- kept[p$qr$pivot[seq_len(p$rank)]]
  location <- p$to %*% par[kept]
  shape <- ifelse(is.na(fixed), par[k + 1:3], fixed)
  found <- reg_climb(p, location, fixed, shape)
  held <- object$boundary[["alpha"]] == "lower" && found$boundary[1L] < 0L
  if (!found$sound && !held) {
    again <- reg_climb(p, cbind(location, p$normal, deparse.level = 0L), fixed)
    if (again$sound || again$ll > found$ll) found <- again
  }
  # a likelihood that grows without bound says nothing about the parameter
  if (!is.finite(found$ll) || (!found$sound && !held && found$ll > object$loglik))
    return(list(loglik = NA_real_, par = par))
  par[k + 1:3] <- found$distribution[1:3]
  par[kept] <- drop(p$back %*% found$distribution[-(1:3)])
  if (which <= k) par[which] <- value
  list(loglik = found$ll, par = par)
}

#' @rdname stableReg-methods
#' @export
profile.stableReg <- function(fitted, which, level = 0.99, points = 8, ...) {
  check_extra(...)
  check_level(level)
  points <- whole_number("points", points)
  known <- names(coef(fitted, "all"))
  at <- base::which(c(!is.na(fitted$coefficients), !fitted$fixed))
  if (!missing(which)) at <- at[unique(which_parameters(which, known[at], "which"))]
  found <- reg_profile(fitted, at, level)
  fitted <- found$fit
  s <- found$searches
  estimate <- coef(fitted, "all")
  data <- reg_data(fitted)
  began <- proc.time()
  on.exit(progress_loop_done())
  curves <- lapply(stats::setNames(at, known[at]), function(parameter) {
    tau <- 0
    values <- rbind(estimate)
    for (i in base::which(s$of == parameter & !s$state %in% c("open", "lost") & s$trial != s$centre))
      for (share in seq_len(points) / points) {
        value <- from_coordinate(s$centre[i] + share * (s$trial[i] - s$centre[i]), s$parameter[i])
        # between the estimates at the fit and at the limit, near which the others lie
        start <- (1 - share) * estimate + share * s$par[i, ]
        point <- reg_profile_point(fitted, data, parameter, value, start)
        progress_loop("profile", began, (match(parameter, at) - 1 + (s$side[i] > 0) / 2) / length(at))
        if (is.na(point$loglik)) next
        tau <- c(tau, s$side[i] * sqrt(max(2 * (fitted$loglik - point$loglik), 0)))
        values <- rbind(values, point$par)
      }
    order <- order(values[, parameter])
    curve <- data.frame(tau = tau[order])
    curve$par.vals <- unname(values[order, , drop = FALSE])
    colnames(curve$par.vals) <- known
    curve
  })
  structure(curves, original.fit = fitted, class = c("profile.stableReg", "profile"))
}

#' @rdname stableReg-methods
#' @export
plot.profile.stableReg <- function(x, ...) {
  fit <- attr(x, "original.fit")
  plot_profiles(x, coef(fit, "all"), sqrt(profile_depth(fit$nobs, fit$df, 0.95)), ...)
}
