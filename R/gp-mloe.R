# What predictions by another model than the true one lose.

#' Loss of efficiency of kriging by a misspecified covariance
#'
#' Measures how much predictions deteriorate, and how wrong their variances are, if kriging uses another covariance
#' than the true one: the mean loss of efficiency (MLOE) and the mean misspecification of the mean square error (MMOM)
#' of Hong, Abdulah, Genton and Sun (2021).
#'
#' At each new location three variances of simple kriging are compared: \eqn{E_t}{E_t}, the mean square error of the
#' prediction by the true model, \eqn{E_{t,a}}{E_ta}, that of the prediction by the approximate model, under the true
#' one, and \eqn{E_a}{E_a}, that which the approximate model states. Then LOE is \eqn{E_{t,a}/E_t - 1}{E_ta/E_t - 1},
#' not negative, and MOM \eqn{E_a/E_{t,a} - 1}{E_a/E_ta - 1}, negative where the approximate model understates
#' the error. MLOE and MMOM are their averages.
#'
#' The difference of the first two variances is computed from that of the weights, so that small losses are accurate.
#' At a location that was observed without a nugget all three are 0, and its row is `NaN`, which the averages leave
#' out.
#'
#' @param true,approximate models by [covModel()]: the covariance of the field, and that used for the predictions.
#' @param x locations of the observations, as for [covariance()]; or a result.
#' @param newdata locations to predict at, as `x`.
#' @param type what is predicted: `"latent"`, the field without nuggets, or `"response"`, a new observation, which has
#'   the nugget of each model in the variances.
#' @return An object of class `gpMLOE`, a list of the numbers `MLOE` and `MMOM` and `points`, a data frame with the
#'   columns `LOE`, `MOM`, `true`, `approximate` and `stated`, the last three being \eqn{E_t}{E_t},
#'   \eqn{E_{t,a}}{E_ta} and \eqn{E_a}{E_a}. `as.data.frame()` returns `points`.
#' @references
#' Hong, Y., Abdulah, S., Genton, M. G. and Sun, Y. (2021). Efficiency assessment of approximated spatial predictions
#' for large datasets. *Spatial Statistics* **43**, 100517.
#' @seealso [gpFit()], [covModel()]
#' @examples
#' set.seed(1)
#' x <- cbind(runif(200), runif(200))
#' new <- cbind(runif(20), runif(20))
#' true <- covModel("matern", range = 0.1, smoothness = 1)
#' gpMLOE(true, update(true, smoothness = 0.5, range = 0.2), x, new)
#' @export
gpMLOE <- function(true, approximate, x, newdata, type = c("latent", "response")) {
  on.exit(.Call(C_gpForget))
  need(true = missing(true), approximate = missing(approximate), x = missing(x), newdata = missing(newdata))
  type <- choice("type", type, c("latent", "response"))
  models <- list(true = true, approximate = approximate)
  for (name in names(models)) {
    if (!inherits(models[[name]], "covModel"))
      input_error(name, class(models[[name]])[1L], "must be a model by covModel()")
    models[[name]] <- checked_model(models[[name]])
  }
  for (name in names(models)) if (is_local(models[[name]]) || is_several(models[[name]]))
    input_error(name, models[[name]]$name, "must be a model of one variable, with numbers and no formulas")
  for (name in names(models)) if (models[[name]]$distance == "given")
    input_error(name, "given", "must have another distance: there are coordinates")
  a <- mloe_points(x, "x", models$true)
  if (!nrow(a$xy)) input_error("x", x, "must have locations")
  b <- mloe_points(newdata, "newdata", models$true)
  kind <- metric_of(model_parts(models$true), a, b)$kind
  for (name in names(models))
    if (models[[name]]$distance == "auto") models[[name]] <- with_distance(models[[name]], kind)
  t <- mloe_factor(models$true, a, b)
  f <- mloe_factor(models$approximate, a, b)
  size <- max(1L, as.integer(2^22 / nrow(a$xy)))
  rows <- lapply(chunks(nrow(b$xy), size), function(at) {
    points <- b$xy[at, , drop = FALSE]
    by_true <- mloe_weights(t, points)
    by_other <- mloe_weights(f, points)
    step <- by_other$weights - by_true$weights
    loss <- colSums(step * mloe_product(t, step))
    own <- if (type == "response") c(t$nugget, f$nugget) else c(0, 0)
    least <- by_true$variance + own[1L]
    cbind(true = least, approximate = least + loss, stated = by_other$variance + own[2L], loss = loss)
  })
  rows <- do.call(rbind, rows)
  # what rounding leaves of a variance of 0
  zero <- rows[, "true"] <= 1e-13 * (t$variance + t$nugget)
  loe <- ifelse(zero, NaN, rows[, "loss"] / rows[, "true"])
  mom <- ifelse(zero, NaN, rows[, "stated"] / rows[, "approximate"] - 1)
  points <- data.frame(LOE = loe, MOM = mom, rows[, c("true", "approximate", "stated"), drop = FALSE])
  if (!is.null(b$names)) row.names(points) <- make.unique(as.character(b$names))
  structure(list(MLOE = mean(loe, na.rm = TRUE), MMOM = mean(mom, na.rm = TRUE), points = points), class = "gpMLOE")
}

mloe_points <- function(x, name, model) {
  refuse_foreign(name, x)
  points_of(if (inherits(x, "rfGrid")) as.matrix(x) else x, name, model)
}

# The factor of the matrix of a model among the points a, and what the predictions at b need besides.
mloe_factor <- function(model, a, b) {
  parts <- model_parts(model)
  metric_of(parts, a, b)
  p <- gp_problem(model, a, NULL)
  factor <- sound_factor(p)
  list(p = p, factor = factor, variance = process_variance(p), nugget = model_nugget(model))
}

mloe_weights <- function(t, points) {
  half <- gp_solve(t$factor, process_covariance(t$p, t$p$xy, points), FALSE)
  list(weights = gp_solve(t$factor, half, TRUE), variance = pmax(t$variance - colSums(half^2), 0))
}

# The matrix of the observations times vectors, without the matrix.
mloe_product <- function(t, vectors)
  .Call(C_covarianceProduct, engine_among(t$p$xy, t$p$xy, t$p$metric, t$p$engine), vectors) +
    t$p$diagonal * vectors

#' @export
print.gpMLOE <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  digits <- print_digits(digits)
  cat(sprintf("Predictions at %s\nMLOE %s, MMOM %s\n", count_text(nrow(x$points), "location"),
              format(x$MLOE, digits = digits), format(x$MMOM, digits = digits)))
  gone <- sum(is.na(x$points$LOE))
  if (gone) cat(sprintf("(%d observed without error, left out)\n", gone))
  invisible(x)
}

#' @rdname gpMLOE
#' @param row.names,optional,... as for [as.data.frame()].
#' @export
as.data.frame.gpMLOE <- function(x, row.names = NULL, optional = FALSE, ...) {
  name_rows(x$points, row.names)
}
