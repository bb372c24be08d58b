# Profiles of the likelihood of linear models with stable errors.

#' @exportS3Method NULL
profile_set.stableReg <- function(fit, at) {
  if (!reg_settled(fit))
    raise_engine_error("input", "the likelihood of the fit was not maximised: it has no profile")
  k <- length(fit$coefficients)
  p <- fit$parameters
  data <- list(x = model.matrix(fit), y = fit_response(model.frame(fit), fit$terms))
  floor <- reg_problem(data$x, data$y, fit$weights, fit$offset, c(alpha = NA_real_, beta = NA, gamma = NA), 100)$floor
  found <- fit # the best so far
  list(par = rbind(p$estimate, deparse.level = 0L), error = rbind(p$std.error, deparse.level = 0L),
       fixed = rbind(p$fixed | is.na(p$estimate), deparse.level = 0L), loglik = fit$loglik,
       rows = stable_rows(floor)[c(rep(4L, k), 1:3), ],
       depth = function(set, level) profile_depth(found$nobs, found$df, level),
       guess = function(set) rbind(c(1.5 / sqrt(found$nobs) * found$unit[seq_len(k)],
                                     c(1.5, 3, 1.3) / sqrt(found$nobs)), deparse.level = 0L),
       least = 1e-5, tolerance = 1e-7, narrow = 1e-9, better = function(set) list(fit = found),
       fit = function(set, of, at, value, start, tell) profile_points(at, function(i) {
         tell(i)
         reg_profile_point(found, data, at[i], value[i], start[i, ])
       }),
       climb = function(set, of, par) {
         known <- shape_of(found, "fixed")
         start <- c(stats::setNames(as.list(par[k + 1:3]), names(known))[!known],
                    list(coefficients = par[which(!is.na(found$coefficients))]))
         better <- reg_fit(data$x, data$y, found$weights, found$offset, found$shape[known], start)
         ok <- reg_settled(better)
         if (ok && better$loglik > found$loglik + 1e-6) {
           found[names(better)] <<- better
           found$notes <<- reg_notes(found)
         }
         list(loglik = better$loglik, par = rbind(better$parameters$estimate), ok = ok,
              error = rbind(found$parameters$std.error))
       })
}

# The largest log likelihood with one parameter at this value, and all parameters there; par: where to begin. A
# coefficient that is known goes with its column into the offset.
reg_profile_point <- function(object, data, which, value, par) {
  k <- length(object$coefficients)
  used <- base::which(!is.na(object$coefficients))
  fixed <- ifelse(shape_of(object, "fixed"), object$shape, NA_real_)
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
  held <- shape_of(object, "boundary")[["alpha"]] == "lower" && found$boundary[1L] < 0L
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
