# Methods for the generics of broom, for fits of Gaussian processes.

#' Tidy data frames of fits of Gaussian processes
#'
#' Methods for the generics `glance` and `augment` of package \pkg{generics}, which \pkg{broom} re-exports:
#' summaries and observations as plain data frames. They are registered once either package is loaded. `tidy` is that
#' of [all fits][statclFit-methods].
#'
#' @param x a fit by [gpFit()].
#' @param data the data of the fit, with a row for each observation used (and those that `na.exclude` left out), such
#'   as the points of package \pkg{sf} that were given to [gpFit()]. By default the model frame with the coordinates.
#' @param newdata a data frame, or points of package \pkg{sf}, to predict for.
#' @param se_fit if `TRUE`, standard errors of `.fitted` are added: those of the mean, with `newdata` those of the
#'   prediction of a new observation.
#' @param interval limits that are added, `.lower` and `.upper`: `"confidence"` of the mean, which `.fitted` then is,
#'   with `newdata` also `"prediction"` of a new observation. A fit with a `family` has both for `newdata`.
#' @param conf.level their level.
#' @param ... not used.
#' @return Data frames.
#'   `glance`: one row, with the columns of [all fits][statclFit-methods], and `pseudo.r.squared` and `estimator`.
#'   `augment`: `data` with columns `.fitted`, the mean, `.resid`, `.std.resid`, raw and standardised
#'   [residuals][residuals.gpFit()], `.hat` and `.cooksd`, influence by deletion, and `.se.fit` (for a fit with a
#'   `family` `.fitted`, `.resid` and `.se.fit` alone, of the means of responses); or `newdata` with
#'   `.fitted`, the predictions, `.se.fit`, and `.resid` where it has the response.
#' @name gpFit-tidy
#' @examplesIf requireNamespace("generics", quietly = TRUE)
#' quakes <- subset(datasets::quakes, depth < 100)
#' model <- covModel("exponential", range = NA, nugget = NA, distance = "chordal")
#' fit <- gpFit(log(stations) ~ mag, quakes, coords = ~ long + lat, cov = model)
#' generics::tidy(fit, conf.int = TRUE)
#' generics::glance(fit)
#' head(generics::augment(fit))
NULL

#' @rdname gpFit-tidy
#' @exportS3Method generics::glance
glance.gpFit <- function(x, ...)
  cbind(glance.statclFit(x), pseudo.r.squared = gp_r_squared(gp_whitened(x), x),
        estimator = x$estimator)

#' @rdname gpFit-tidy
#' @exportS3Method generics::augment
augment.gpFit <- function(x, data = NULL, newdata = NULL, se_fit = FALSE,
                          interval = c("none", "confidence", "prediction"), conf.level = 0.95, ...) {
  check_extra(...)
  se_fit <- one_flag("se_fit", se_fit)
  interval <- choice("interval", interval)
  if (!is.null(newdata)) return(augment_new(x, newdata, se_fit, interval, conf.level))
  if (interval == "prediction" || interval != "none" && !is.null(x$family))
    input_error("interval", interval, "is for newdata")
  data <- if (is.null(data)) gp_frame(x) else if (is.data.frame(data)) data else as_table("data", data)
  bare <- x
  bare$na.action <- NULL
  columns <- list(.fitted = x$fitted.values, .resid = x$residuals)
  lik <- likelihood_of(x)
  if (!is.null(lik$whiten)) columns[c(".std.resid", ".hat", ".cooksd")] <-
    list(residuals(bare, "standardized"), hatvalues(bare), cooks.distance(bare))
  if (se_fit) columns$.se.fit <- gp_columns(plugin(x), observed_places(x), TRUE, lik$fitted, 0.5, "response")$se.fit
  if (interval == "confidence") columns[c(".lower", ".upper")] <-
    as.data.frame(predict(bare, interval = interval, level = conf.level))[c("lwr", "upr")]
  augmented(x, data, columns)
}

# The model frame, with the coordinates where it does not have them.
gp_frame <- function(fit) {
  frame <- as.data.frame(fit$model)
  attr(frame, "terms") <- NULL
  xy <- as.data.frame(fit$x)
  names(xy) <- gp_axes(fit)
  cbind(frame, xy[setdiff(names(xy), names(frame))])
}

# Names of the coordinates.
gp_axes <- function(fit) {
  if (!is.null(fit$variables)) return(c(gp_axes(variable_view(fit, 1L)), "variable"))
  d <- ncol(fit$x)
  if (length(fit$coords$names) == d) return(fit$coords$names)
  if (fit$metric$kind != "euclidean") return(c("longitude", "latitude", "time")[seq_len(d)])
  axes <- c("x", "y", "z", paste0("x", seq_len(max(d - 3L, 0L)) + 3L))[seq_len(d)]
  if (fit$metric$dim < d) axes[d] <- "time"
  axes
}

# Columns that predict() has added, by the names that broom has for them.
augment_new <- function(fit, newdata, se_fit, interval, level) {
  if (!is.data.frame(newdata)) input_error("newdata", class(newdata)[1L], "must be a data frame: see predict()")
  refuse_several(fit, "augment(newdata = ) is", "predict(variable = ) gives data frames")
  value <- predict(fit, newdata, se.fit = se_fit, interval = interval, level = level)
  added <- setdiff(names(value), names(newdata))
  names(value)[match(added, names(value))] <-
    c(".fitted", if (se_fit) ".se.fit", if (interval != "none") c(".lower", ".upper"))
  value$.resid <- new_residuals(fit, newdata, value$.fitted)
  value
}
