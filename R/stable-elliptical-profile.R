# Profiles of the index of elliptical stable distributions: maxima of the likelihood at each alpha.

#' @exportS3Method NULL
profile_rows.mstableFit <- function(fit) 1L

# On its boundary alpha has no standard error.
#' @exportS3Method NULL
default_limits.mstableFit <- function(fit, at)
  ifelse(at == 1L & fit$converged & nzchar(fit$parameters$boundary[1L]), "profile", "transformed")

#' @exportS3Method NULL
profile_set.mstableFit <- function(fit, at) {
  other <- at[rownames(fit$vcov)[at] != "alpha"]
  if (length(other)) raise_engine_error("input", sprintf(
    "fits by mstableFit() have a profile of alpha, none of %s, whose limits are by method = \"transformed\"",
    toString(rownames(fit$vcov)[other], 60L)))
  if (!fit$converged) raise_engine_error("input", "the likelihood of the fit was not maximised: it has no profile")
  p <- fit$parameters
  data <- elliptical_data(fit$x, fit$weights)
  data$least <- elliptical_ties(data, NULL)
  known <- if (p$fixed[2L]) list(delta = fit$delta / data$unit)
  found <- fit # the best so far
  maximum <- function(alpha, par) {
    point <- elliptical_of_row(par, data)
    elliptical_search(data, fit$structure, fit$factors, c(if (!is.null(alpha)) list(alpha = alpha), known), point)
  }
  list(par = rbind(p$estimate, deparse.level = 0L), error = rbind(p$std.error, deparse.level = 0L),
       fixed = rbind(p$fixed | seq_along(p$estimate) > 1L, deparse.level = 0L), loglik = fit$loglik,
       rows = stable_rows(data$least)[1L, ], depth = function(set, level) rep(stats::qchisq(level, 1), nrow(set$par)),
       guess = function(set) rbind(rep(1.5 / sqrt(found$nobs), length(p$estimate)), deparse.level = 0L),
       least = 1e-5, tolerance = 1e-6, narrow = 1e-9, better = function(set) list(fit = found),
       fit = function(set, of, at, value, start, tell) profile_points(at, function(i) {
         tell(i)
         best <- tryCatch(maximum(value[i], start[i, ]), statcl_error_input = function(e) NULL)
         if (is.null(best)) return(list(loglik = NA_real_, par = start[i, ]))
         list(loglik = best$loglik - unit_term(data), par = elliptical_row(best, data))
       }),
       climb = function(set, of, par) {
         best <- maximum(NULL, par[1L, ])
         if (best$converged && best$loglik - unit_term(data) > found$loglik + 1e-6)
           found <<- elliptical_fit(best, data, fit$structure, fit$factors, if (is.null(known)) list() else known,
                                    fit$call)
         list(loglik = found$loglik, par = rbind(found$parameters$estimate), ok = best$converged,
              error = rbind(found$parameters$std.error))
       })
}

# Parameters in the order of the table and the units of the user, and back.
elliptical_row <- function(p, data) {
  S <- p$S * data$unit * rep(data$unit, each = length(data$unit))
  c(p$alpha, p$delta * data$unit, S[lower.tri(S, TRUE)])
}
elliptical_of_row <- function(par, data) {
  d <- length(data$unit)
  S <- matrix(0, d, d)
  S[lower.tri(S, TRUE)] <- par[-seq_len(d + 1L)]
  S[upper.tri(S)] <- t(S)[upper.tri(S)]
  list(alpha = par[1L], delta = par[1L + seq_len(d)] / data$unit, S = S / data$unit / rep(data$unit, each = d))
}
