# Profiles of the likelihood: one search for the limits of all parameters of one or many fits.
#
# A profile set is what the search needs to know of fits:
#   par, error, fixed  estimates, standard errors and which parameters are fixed: a row for each fit
#   loglik             of the estimates, an element for each fit
#   rows               the scale of the search for each parameter, as from_search() takes it, on that scale the ends
#                      of the search, `low` and `high`, and the limits if it gets there, `from` and `to`
#   depth(set, level)  by how much twice the log likelihood falls to the limits, for each fit
#   guess(set)         widths on the scale of the search where there are no standard errors, a row for each fit
#   least              by how much a maximum must be missed for the search to begin again from the larger one
#   tolerance, narrow  how near twice the fall must come to the depth, and how near, in widths, a jump is enclosed
#   begin(search)      perhaps: the state of the searches when they begin
#   anew(set, at, value)
#                      perhaps: as fit(), from starts of its own, to see whether the maximum has moved far away
#   fit(set, of, at, value, start, tell)
#                      the maxima with parameter at[i] of fit of[i] at value[i], from the rows of start: `loglik`, NA
#                      where there is none, and `par`; tell(k) before the k-th of them if they are found in turn
#   climb(set, of, par)
#                      the maxima of the fits `of` from the rows of par: `loglik`, `par`, `ok` and perhaps `error`
#   better(set)        of a single fit: what a warning has that tells of the larger maximum, `fit` or `start`, and
#                      `how` to begin there
#   close()            perhaps: what ends with the set
# Fits and parameters go by their numbers.

profile_set <- function(fit, at) UseMethod("profile_set")
#' @exportS3Method NULL
profile_set.statclFit <- function(fit, at)
  raise_engine_error("input", sprintf("fits by %s() have no profiles", class(fit)[1L]))

# The parameters that have one.
profile_rows <- function(fit) UseMethod("profile_rows")
#' @exportS3Method NULL
profile_rows.statclFit <- function(fit) seq_len(nrow(fit$parameters))

# Of fits that are found in turn, from a function of the number of the fit.
profile_points <- function(at, point) {
  points <- lapply(seq_along(at), point)
  list(loglik = vapply(points, `[[`, 0, "loglik"), par = do.call(rbind, lapply(points, `[[`, "par")))
}

# By how much twice the log likelihood falls to the limits of confidence intervals. For a coefficient of the normal
# linear model with n observations and p coefficients, the scale not counted, it is exact, the likelihood ratio being
# n log(1 + F/(n - p)).
profile_depth <- function(n, p, level) {
  rest <- pmax(n - p, 1)
  n * log1p(stats::qf(level, 1, rest) / rest)
}

# Limits of the parameters `at` of one fit, a row each, with the searches, the set, and the fit, which is a better one
# than that given if the searches have met one.
profile_limits <- function(fit, set, at, level) {
  found <- profile_search(set, rep(1L, length(at)), at, level)
  s <- found$searches
  label <- paste(rownames(fit$vcov)[s$at], ifelse(s$side < 0, "(lower)", "(upper)"))
  more <- found$set$loglik - fit$loglik
  if (more > 0) {
    better <- found$set$better(found$set)
    how <- better$how
    better$how <- NULL
    warn(sprintf(paste("the profile has found a larger maximum than the fit, by %s, and is that of the larger one,",
                       "which this warning has in its component %s%s"), rounded(more), names(better),
                 if (length(how)) paste(": fit again with", how) else ""),
         class = "statcl_warning_better_fit", with = better)
    if (!is.null(better$fit)) {
      fit <- better$fit
      found$set$par[1L, ] <- fit$parameters$estimate
      found$set$loglik <- fit$loglik
    }
  }
  lost <- s$state %in% c("open", "lost")
  if (any(lost)) warn("no profile limit found for ", toString(label[lost]))
  if (any(s$state == "jump"))
    warn("the profile jumps at the limit of ", toString(label[s$state == "jump"]),
         ": the likelihood has several maxima")
  list(limits = found$limits, searches = s, set = found$set, fit = fit)
}

# Limits of parameter at[i] of fit of[i] of a set, a row each, all searched for together. Where a fit turns out not to
# be the maximum, its searches begin again from the larger one, which is in the set that comes back.
profile_search <- function(set, of, at, level) {
  begin <- function() {
    s <- search_state(set, of, at, sqrt(set$depth(set, level))[of])
    if (is.null(set$begin)) s else set$begin(s)
  }
  s <- begin()
  restarts <- rep(3L, nrow(set$par))
  began <- proc.time()
  done <- 0
  on.exit(progress_loop_done())
  tell <- function(k) { # most limits take less than ten points
    tried <- s$tries + seq_along(s$tries) %in% i[seq_len(k - 1L)]
    done <<- max(done, mean(ifelse(s$state == "open", pmin(tried / 10, 0.9), 1)))
    progress_loop("confint", began, done)
  }
  repeat {
    more <- numeric(nrow(set$par))
    peak <- set$par
    for (round in seq_len(40L)) {
      i <- which(s$state == "open" & (more[s$of] < set$least | !restarts[s$of]))
      if (!length(i)) break
      found <- set$fit(set, s$of[i], s$at[i], from_search(s$trial[i], set$rows[s$at[i], ]), s$par[i, , drop = FALSE],
                       tell)
      found <- doubted(s, i, found, set)
      fall <- 2 * (set$loglik[s$of[i]] - found$loglik)
      for (k in which(fall < -2 * more[s$of[i]])) {
        more[s$of[i[k]]] <- -fall[k] / 2
        peak[s$of[i[k]], ] <- found$par[k, ]
      }
      s <- advance(s, i, ifelse(is.na(fall), Inf, sqrt(pmax(fall, 0))), found$par, set)
      if (!is.null(set$anew)) s <- confirmed(s, i[s$state[i] %in% c("found", "jump")], set)
    }
    low <- which(more >= set$least & restarts > 0L)
    if (!length(low)) break
    again <- set$climb(set, low, peak[low, , drop = FALSE])
    risen <- again$ok & again$loglik > set$loglik[low] + 1e-6
    restarts[low] <- ifelse(risen, restarts[low] - 1L, 0L)
    set$par[low[risen], ] <- again$par[risen, ]
    set$loglik[low[risen]] <- again$loglik[risen]
    set$error[low, ] <- if (is.null(again$error)) NA else again$error
    redone <- s$of %in% low
    s <- Map(function(old, new) {
      if (is.matrix(old)) old[redone, ] <- new[redone, ] else old[redone] <- new[redone]
      old
    }, s, begin())
  }
  row <- set$rows[s$at, ]
  limit <- ifelse(s$state == "boundary", ifelse(s$side < 0, row$from, row$to), from_search(s$trial, row))
  limit[s$state %in% c("open", "lost")] <- NA
  list(limits = matrix(limit, ncol = 2L), searches = s, set = set)
}

# State of the searches for the lower and the upper limits: numbers of fit and parameter, and side; z, the root
# wanted; end, that of the search; inner and outer, points with a smaller and a larger signed root, and these roots;
# last, which of the two moved last, and weight, that of the other one in the Illinois rule; doubt, has a larger
# maximum been met elsewhere; trial, the point to be tried; par, where its fit starts.
search_state <- function(set, of, at, z) {
  place <- cbind(of, at)
  row <- set$rows[at, ]
  step <- set$error[place] / search_jacobian(set$par[place], row)
  step <- ifelse(is.na(step), set$guess(set)[place], step)
  m <- length(at)
  s <- list(of = rep(of, 2L), at = rep(at, 2L), side = rep(c(-1, 1), each = m), z = rep_len(z, 2L * m),
            scale = rep(step, 2L), par = set$par[rep(of, 2L), , drop = FALSE])
  rownames(s$par) <- NULL
  s$end <- c(row$low, row$high)
  s$centre <- s$inner <- rep(to_search(set$par[place], row), 2L)
  s$outer <- s$outer_root <- rep(NA_real_, 2L * m)
  s$inner_root <- numeric(2L * m)
  s$last <- s$tries <- integer(2L * m)
  s$weight <- rep(1, 2L * m)
  s$doubt <- logical(2L * m)
  s$state <- ifelse(s$inner == s$end, "boundary", "open")
  s$trial <- within_end(s$inner + s$side * s$z * s$scale, s$side, s$end)
  s
}

within_end <- function(u, side, end) ifelse(side < 0, pmax(u, end), pmin(u, end))

# The searches i after their trials gave these roots.
advance <- function(s, i, root, par, set) {
  s$tries[i] <- s$tries[i] + 1L
  short <- root < s$z[i]
  moved <- ifelse(short, 1L, 2L)
  s$weight[i] <- ifelse(s$last[i] == moved, s$weight[i] / 2, 1)
  s$last[i] <- moved
  s$inner[i[short]] <- s$trial[i[short]]
  s$inner_root[i[short]] <- root[short]
  s$outer[i[!short]] <- s$trial[i[!short]]
  s$outer_root[i[!short]] <- root[!short]
  fitted <- is.finite(root)
  s$par[i[fitted], ] <- par[fitted, , drop = FALSE]
  found <- abs(root^2 - s$z[i]^2) < set$tolerance
  at_end <- short & s$trial[i] == s$end[i]
  # Where the profile jumps, its jump is the limit, unless no distribution fits beyond.
  narrow <- !is.na(s$outer[i]) & abs(s$outer[i] - s$inner[i]) < set$narrow * s$scale[i]
  s$state[i] <- ifelse(found, "found", ifelse(at_end, "boundary",
                       ifelse(narrow, ifelse(is.infinite(s$outer_root[i]), "lost", # or as near as the fits are exact
                         ifelse(s$outer_root[i] - s$inner_root[i] > 1e-2, "jump", "found")), "open")))
  open <- i[s$state[i] == "open"]
  s$trial[open] <- next_trial(s, open)
  s
}

# Searches i that have ended, unless there is a larger maximum elsewhere, from which they go on.
confirmed <- function(s, i, set) {
  found <- set$anew(set, s$at[i], from_search(s$trial[i], set$rows[s$at[i], ]))
  root <- sqrt(pmax(2 * (set$loglik[s$of[i]] - found$loglik), 0))
  again <- which(root < s$z[i] - 1e-5)
  i <- i[again]
  s$inner[i] <- s$trial[i]
  s$inner_root[i] <- root[again]
  s$outer[i] <- s$outer_root[i] <- NA
  s$par[i, ] <- found$par[again, ]
  s$doubt[i] <- TRUE
  s$state[i] <- "open"
  s$trial[i] <- next_trial(s, i)
  s
}

# Of searches i that have met a larger maximum elsewhere, those whose trials are beyond the limit are found anew, too:
# a climb from the point before may have missed the larger one again.
doubted <- function(s, i, found, set) {
  k <- which(s$doubt[i] & !(2 * (set$loglik[s$of[i]] - found$loglik) < s$z[i]^2) %in% TRUE)
  if (!length(k)) return(found)
  other <- set$anew(set, s$at[i[k]], from_search(s$trial[i[k]], set$rows[s$at[i[k]], ]))
  larger <- which(is.na(found$loglik[k]) | other$loglik > found$loglik[k])
  found$loglik[k[larger]] <- other$loglik[larger]
  found$par[k[larger], ] <- other$par[larger, ]
  found
}

# While there is no outer point, on along the chord from the estimate; then the secant by the Illinois rule, which
# halves the weight of an end that stays, and bisection where that is slow or no distribution fits at the outer point.
next_trial <- function(s, i) {
  grow <- pmin(pmax(s$z[i] / pmax(s$inner_root[i], 1e-8), 1.1), 4)
  out <- s$centre[i] + (s$inner[i] - s$centre[i]) * grow
  below <- (s$z[i] - s$inner_root[i]) * ifelse(s$last[i] == 2L, s$weight[i], 1)
  above <- (s$outer_root[i] - s$z[i]) * ifelse(s$last[i] == 1L, s$weight[i], 1)
  share <- below / (below + above)
  share <- ifelse(is.finite(above) & s$tries[i] < 15L, pmin(pmax(share, 1e-3), 1 - 1e-3), 0.5)
  trial <- ifelse(is.na(s$outer[i]), out, s$inner[i] + share * (s$outer[i] - s$inner[i]))
  within_end(trial, s$side[i], s$end[i])
}

#' @rdname statclFit-methods
#' @export
profile.statclFit <- function(fitted, which, level = 0.99, points = 8, ...) {
  check_extra(...)
  check_level(level)
  points <- whole_number("points", points)
  known <- rownames(fitted$parameters) # which are all different
  at <- base::which(!is.na(fitted$parameters$estimate) & !fitted$parameters$fixed)
  at <- if (missing(which)) intersect(at, profile_rows(fitted))
        else at[unique(which_parameters(which, known[at], "which"))]
  set <- profile_set(fitted, at)
  if (!is.null(set$close)) on.exit(set$close())
  at <- at[!set$fixed[at]]
  found <- profile_limits(fitted, set, at, level)
  set <- found$set
  s <- found$searches
  share <- rep(seq_len(points) / points, each = length(s$at))
  row <- rep(seq_along(s$at), points)
  moved <- is.finite(s$trial[row]) & s$trial[row] != s$centre[row]
  row <- row[moved]
  share <- share[moved]
  # between the estimates at the fit and at the limit, near which the others lie
  start <- outer(1 - share, set$par[1L, ]) + share * s$par[row, , drop = FALSE]
  value <- from_search(s$centre[row] + share * (s$trial[row] - s$centre[row]), set$rows[s$at[row], ])
  began <- proc.time()
  on.exit(progress_loop_done(), add = TRUE)
  fits <- set$fit(set, rep(1L, length(row)), s$at[row], value, start,
                  function(k) progress_loop("profile", began, (k - 1) / length(row)))
  fits <- swept(set, fits, row, round(share * points), s$at[row], value)
  tau <- s$side[row] * sqrt(pmax(2 * (set$loglik - fits$loglik), 0))
  curves <- lapply(stats::setNames(at, known[at]), function(p) {
    i <- base::which(s$at[row] == p & is.finite(tau))
    value <- rbind(set$par, fits$par[i, , drop = FALSE])
    order <- order(value[, p])
    curve <- data.frame(tau = c(0, tau[i])[order])
    curve$par.vals <- matrix(value[order, ], nrow(value), dimnames = list(NULL, known))
    curve
  })
  structure(curves, original.fit = found$fit, root = sqrt(set$depth(set, 0.95)),
            class = c("profile.statclFit", "profile"))
}

# Points of profiles again from those beside them: of all from the limit towards the estimate, then away from those
# that have risen. Where another branch becomes the higher one, a climb from the estimate stays on the lower one.
swept <- function(set, fits, search, step, at, value) {
  risen <- rep(TRUE, length(at))
  for (inwards in c(TRUE, FALSE)) {
    from <- risen
    risen <- logical(length(at))
    for (k in if (inwards) rev(seq_len(max(step, 1L))) else seq_len(max(step, 1L))) {
      i <- which(step == k)
      beside <- match(paste(search[i], k + if (inwards) 1L else -1L), paste(search, step))
      usable <- !is.na(beside) & !is.na(fits$loglik[beside]) & (from[beside] | risen[beside])
      i <- i[usable]
      beside <- beside[usable]
      if (!length(i)) next
      again <- set$fit(set, rep(1L, length(i)), at[i], value[i], fits$par[beside, , drop = FALSE], function(k) NULL)
      higher <- which(!is.na(again$loglik) & !(again$loglik <= fits$loglik[i] + 1e-9) %in% TRUE)
      fits$loglik[i[higher]] <- again$loglik[higher]
      fits$par[i[higher], ] <- again$par[higher, ]
      risen[i[higher]] <- TRUE
    }
  }
  fits
}

#' @rdname statclFit-methods
#' @export
confint.profile.statclFit <- function(object, parm, level = 0.95, ...) {
  check_extra(...)
  at <- if (missing(parm)) seq_along(object) else which_parameters(parm, names(object), "parm")
  confint(attr(object, "original.fit"), names(object)[at], level, "profile")
}

#' @rdname statclFit-methods
#' @export
plot.profile.statclFit <- function(x, ...) {
  if (length(x) > 1L && prod(graphics::par("mfrow")) == 1L) {
    old <- graphics::par(mfrow = grDevices::n2mfrow(length(x)))
    on.exit(graphics::par(old))
  }
  table <- as.data.frame(x)
  fit <- attr(x, "original.fit")
  estimate <- stats::setNames(fit$parameters$estimate, rownames(fit$parameters))
  for (p in names(x)) {
    own <- table[table$parameter == p, ]
    wide <- min(own$value) > 0 && max(own$value) > 100 * min(own$value) # else all but a few points are one
    call_plot(graphics::plot.default,
              list(x = own$value, y = own$tau, type = "n", log = if (wide) "x" else "", xlab = p,
                   ylab = "signed root", las = 1,
                   main = paste("Profile of", p), ylim = range(own$tau, 0)), ...)
    graphics::abline(h = 0, v = estimate[[p]], col = "grey75")
    graphics::abline(h = c(-1, 1) * attr(x, "root"), lty = 2, col = "grey60")
    graphics::lines(own$value, own$tau, type = "b", pch = 16, cex = 0.6, col = plot_colours[["sample"]])
  }
  invisible(x)
}

#' @rdname statclFit-methods
#' @export
as.data.frame.profile.statclFit <- function(x, row.names = NULL, optional = FALSE, ...) {
  class(x) <- NULL
  table <- do.call(rbind, lapply(names(x), function(p)
    data.frame(parameter = p, value = x[[p]]$par.vals[, p], tau = x[[p]]$tau, x[[p]]$par.vals, check.names = FALSE)))
  if (is.null(table)) table <- data.frame(parameter = character(), value = numeric(), tau = numeric())
  rownames(table) <- NULL
  name_rows(table, row.names)
}

#' @rdname autoplot
#' @exportS3Method ggplot2::autoplot
autoplot.profile.statclFit <- function(object, ...) {
  warn_extra(...)
  table <- as.data.frame(object)
  table$parameter <- factor(table$parameter, names(object))
  ggplot2::ggplot(table, gg_aes(x = "value", y = "tau")) +
    ggplot2::geom_hline(yintercept = 0, colour = "grey75") +
    ggplot2::geom_hline(yintercept = c(-1, 1) * attr(object, "root"), colour = "grey60", linetype = 2) +
    ggplot2::geom_line(colour = plot_colours[["sample"]]) +
    ggplot2::geom_point(colour = plot_colours[["sample"]]) +
    ggplot2::facet_wrap("parameter", scales = "free_x") + ggplot2::labs(x = NULL, y = "signed root")
}
