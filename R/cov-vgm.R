# Variogram models of package gstat, both ways: data frames of class variogramModel with the columns model, psill,
# range, kappa, ang1 to ang3, anis1 and anis2.

#' Variogram models of gstat
#'
#' `as.vgm()` makes a variogram model of package \pkg{gstat} of a model by [covModel()], and
#' `covModel(<variogramModel>)` makes a model of one by `gstat::vgm()`; those of several variables are lists of
#' models, as `gstat::fit.lmc()` makes them.
#'
#' These models have an equivalent, with the parameters in the table:
#'
#' | gstat | `covModel()` |
#' | --- | --- |
#' | `"Nug"`, `"Err"` | `nugget`; `as.vgm()` gives `"Nug"` |
#' | `"Exp"`, `"Sph"`, `"Gau"` | `"exponential"`, `"spherical"`, `"gaussian"`, the same `range` |
#' | `"Exc"`, `kappa` | `"powexp"`, `shape = kappa`, the same `range` |
#' | `"Mat"`, `kappa` | `"matern"`, `smoothness = kappa`, the same `range` |
#' | `"Ste"`, `kappa` | `"matern"`, `smoothness = kappa`, `range * sqrt(2)`, `scaling = "sqrt8nu"` |
#' | `"Bes"` | `"matern"`, `smoothness = 1`; `as.vgm()` gives `"Mat"` |
#' | `"Pow"`, `"Lin"` without a range | `"power"`, `shape` the `range` of gstat, or 1; `as.vgm()` gives `"Pow"` |
#' | `"Wav"`, `"Hol"` | `"sinc"`, `range / pi` and `range`; `as.vgm()` gives `"Hol"` |
#' | `"Cir"`, `"Pen"` | `"circular"`, `"pentaspherical"`, the same `range` |
#' | `"Lin"` with a range | `"wendland"`, `smoothness = 0`, `shape = 1`: on a line only |
#' | `"Per"` | `"cosine"`, `range / (2 * pi)`: on a line only |
#'
#' A Matern model with `scaling = "sqrt2nu"` is `"Ste"` as well, with `range * sqrt(2)`. gstat's `"Log"` and `"Spl"`
#' grow without bound and have no covariance, and `"Leg"` is no variogram: it is negative next to 0 where its range is
#' above 1/3. These, and `"cauchy"` and other families of [covModel()], have no equivalent and are errors.
#' Nested structures are the parts of a sum, and the nugget of all is that of the first part. Parameters that are
#' `NA` stay `NA`.
#'
#' gstat's angles are degrees clockwise from the axis of y, so that `angle = 90 - ang1` and `ratio = anis1`. In
#' space axes become `scales`, with `rotation = c(90 - ang1, ang2, ang3)` unless they are along those of the
#' coordinates. gstat's first axis is the longest: `as.vgm()` orders them. Models of gstat contain neither the mean
#' nor the metric: `covModel(v, distance = "greatcircle", mean = 3)` sets them by arguments, and `radius`.
#'
#' gstat's predictions include the variance of `"Nug"` at new locations, but not that of `"Err"`. [predict.gpFit()]
#' includes the nugget with `type = "response"`, the default, and leaves it out with `type = "latent"`.
#'
#' @section Several variables:
#' A linear model of coregionalisation, `"lmc"`, is a list of models, of each variable by its name (`var1`, `var2`,
#' ... if the model has no names) and of each pair by both names, as `lead.zinc`, all with the same structures:
#' `g$model <- as.vgm(model)` gives them to an object `g` by `gstat::gstat()` whose variables have these names. gstat
#' refuses matrices of `psill` that are singular, as estimates may be, unless the object is made with `set =
#' list(nocheck = 1)`. A `"multimatern"` has such a list if all variables have the same smoothness and range; if not
#' it is an error, as gstat has no equal. Its nuggets are those of the variables, or a matrix of them.
#'
#' `covModel(g)` makes the `"lmc"` of the models in an object by `gstat::gstat()`, such as `gstat::fit.lmc()` gives,
#' or of such a list. A structure of a pair must be one of both variables; a variable may have others of its own. The
#' nuggets of pairs, unless they are all 0, make a matrix: covariances of errors at one place. Without models of pairs
#' the variables are independent. [gpFit()] takes the model for variables of these names: `update(model, variable = )`
#' gives others, and the list of formulas `list(lead = log(lead) ~ 1, ...)` has names, too.
#'
#' @param object a model by [covModel()].
#' @param ... not used.
#' @return A model of class `variogramModel`, as `gstat::vgm()` makes it, or of several variables a list of these; the
#'   package gstat must be installed.
#' @references Pebesma, E. J. (2004). Multivariable geostatistics in S: the gstat package. *Computers and Geosciences*
#'   **30**, 683--691.
#' @seealso [covModel()]
#' @concept variogram
#' @concept semivariogram
#' @examplesIf requireNamespace("gstat", quietly = TRUE)
#' v <- as.vgm(covModel("matern", range = 300, smoothness = 1.2, variance = 2, nugget = 0.5,
#'                      angle = 60, ratio = 0.4))
#' v
#' covModel(v)
#'
#' # two variables
#' model <- covModel("lmc", parts = list(covModel("spherical", range = 900)), nugget = c(0.05, 0.1),
#'                   sill = list(matrix(c(1, -0.6, -0.6, 2), 2)), variable = c("pH", "lime"))
#' as.vgm(model)
#' @export
as.vgm <- function(object, ...) {
  need(object = missing(object))
  UseMethod("as.vgm")
}

#' @rdname as.vgm
#' @export
as.vgm.covModel <- function(object, ...) {
  check_extra(...)
  if (!requireNamespace("gstat", quietly = TRUE))
    raise_engine_error("input", "as.vgm() makes a model of gstat: the package gstat is needed")
  model <- checked_model(object, unknown = TRUE)
  if (is_several(model)) return(several_vgm(model))
  parts <- model_parts(model)
  nugget <- sum(vapply(parts, function(part) as.double(part$nugget), 0))
  vgm_frame(lapply(parts, vgm_row), if (!identical(nugget, 0)) nugget)
}

vgm_columns <- c("model", "psill", "range", "kappa", "ang1", "ang2", "ang3", "anis1", "anis2")

# gstat checks numbers by conditions that a missing one stops: its columns are filled afterwards.
vgm_frame <- function(rows, nugget) {
  v <- if (!is.null(nugget)) gstat::vgm(0, "Nug", 0, kappa = 0)
  for (row in rows)
    v <- if (is.null(v)) gstat::vgm(1, row$model, 1, kappa = 0.5)
         else gstat::vgm(1, row$model, 1, kappa = 0.5, add.to = v)
  values <- do.call(rbind, lapply(rows, function(row) unlist(row[-1L])))
  at <- nrow(v) - length(rows) + seq_along(rows)
  v[at, colnames(values)] <- values
  if (length(at) < nrow(v)) v$psill[1L] <- nugget
  v
}

# The structure of gstat for a part of a model, without its nugget.
vgm_row <- function(part) {
  no_equal <- function(what, value, why) input_error(what, value, paste("has no equal in gstat", why))
  vgm <- families[[part$name]]$vgm
  own <- if (!is.null(vgm)) vgm(part)
  if (is.null(own)) no_equal("name", part$name, "(see the help of as.vgm())")
  row <- utils::modifyList(list(model = "", psill = part$variance, range = part$range, kappa = 0.5, ang1 = 0,
                                ang2 = 0, ang3 = 0, anis1 = 1, anis2 = 1), own)
  if (!is.null(part$scales)) return(vgm_scales(row, part$scales, part$rotation, no_equal))
  if (!identical(part$ratio, 1)) {
    row$ang1 <- (90 - part$angle) %% 180
    row$anis1 <- part$ratio
  }
  row
}

# The power of a distance in the unit of the coordinates; vgm_scales() multiplies the range by the largest scale.
vgm_power <- function(part) {
  major <- max(if (is.null(part$scales)) 1 else part$scales)
  list(model = "Pow", psill = part$variance * (part$range * major)^-part$shape, range = part$shape / major)
}

# gstat's axes of an ellipsoid are its first direction, which is that of y for ang1 = 0, the one across it in the
# plane and that of z; the first has the range. It turns them as turned_axes() does (setrot of Deutsch and Journel
# 1998).
vgm_scales <- function(row, scales, rotation, no_equal) {
  if (anyNA(scales)) no_equal("scales", scales, "where they are NA")
  if (length(scales) > 3L) no_equal("scales", scales, "beyond three dimensions")
  if (length(scales) == 1L) scales <- c(scales, scales)
  if (!is.null(rotation) || isTRUE(scales[3L] >= max(scales))) { # ratios above 1 are errors of gstat
    by <- order(scales, decreasing = TRUE)
    axes <- (if (is.null(rotation)) diag(3L) else turned_axes(rotation))[, by]
    row[c("ang1", "ang2", "ang3")] <- as.list((c(90, 0, 0) + c(-1, 1, 1) * axes_rotation(axes)) %% 360)
    row[c("anis1", "anis2")] <- as.list(scales[by[-1L]] / scales[by[1L]])
    row$range <- row$range * scales[by[1L]]
    return(row)
  }
  turned <- scales[1L] > scales[2L]
  if (turned) row$ang1 <- 90
  major <- max(scales[1:2])
  row$range <- row$range * major
  row$anis1 <- min(scales[1:2]) / major
  if (length(scales) == 3L) row$anis2 <- scales[3L] / major
  row
}

# The angles for which turned_axes() gives these axes, up to their signs. Where the first is that of z, the first
# angle is 0.
axes_rotation <- function(axes) {
  flat <- sqrt(axes[1L, 1L]^2 + axes[2L, 1L]^2)
  up <- flat < 1e-12
  last <- if (up) atan2(-sign(axes[3L, 1L]) * axes[1L, 2L], axes[2L, 2L])
          else atan2(axes[3L, 2L], axes[3L, 3L] * sign(det(axes)))
  180 / pi * c(if (up) 0 else atan2(axes[2L, 1L], axes[1L, 1L]), atan2(axes[3L, 1L], flat), last)
}

# The model of a variogramModel; `given` are the arguments of covModel() that it does not have.
vgm_model <- function(v, given) {
  refuse_for_vgm(given)
  check_vgm(v)
  code <- as.character(v$model)
  noise <- code %in% c("Nug", "Err")
  rows <- lapply(which(!noise), function(i) as.list(v[i, vgm_columns]))
  of_part <- given[names(given) != "mean"]
  parts <- lapply(rows, vgm_part, of_part)
  if (!length(parts))
    parts <- list(do.call(covModel, c(list("exponential", range = 1, variance = 0), of_part)))
  parts[[1L]] <- update(parts[[1L]], nugget = sum(v$psill[noise]))
  model <- Reduce(`+`, parts)
  if (!is.null(given$mean)) model <- update(model, mean = given$mean)
  model
}

refuse_for_vgm <- function(given) {
  odd <- setdiff(names(given), c("distance", "radius", "mean"))
  if (length(odd)) input_error(odd[1L], given[[odd[1L]]], "is no argument for a model of gstat, which has it")
}

check_vgm <- function(v) if (!is.data.frame(v) || !all(vgm_columns %in% names(v)) || !nrow(v))
  input_error("name", class(v)[1L], "must be a model by gstat::vgm() with its columns")

vgm_part <- function(row, given) {
  code <- as.character(row$model)
  own <- switch(code, Exp = list("exponential", range = row$range), Sph = list("spherical", range = row$range),
                Gau = list("gaussian", range = row$range),
                Exc = list("powexp", range = row$range, shape = row$kappa),
                Mat = list("matern", range = row$range, smoothness = row$kappa),
                Ste = list("matern", range = row$range * sqrt(2), smoothness = row$kappa, scaling = "sqrt8nu"),
                Bes = list("matern", range = row$range, smoothness = 1),
                Pow = list("power", range = 1, shape = row$range),
                Lin = if (row$range %in% 0) list("power", range = 1, shape = 1)
                      else list("wendland", range = row$range, smoothness = 0, shape = 1),
                Cir = list("circular", range = row$range), Pen = list("pentaspherical", range = row$range),
                Per = list("cosine", range = row$range / (2 * pi)), Wav = list("sinc", range = row$range / pi),
                Hol = list("sinc", range = row$range))
  if (is.null(own)) input_error("model", code, "of gstat has no equal here (see the help of as.vgm())")
  axes <- list()
  level <- row$ang2 %in% 0 && row$ang3 %in% 0
  if (!level || !row$anis2 %in% 1) {
    anis <- c(row$ang1, row$ang2, row$ang3, row$anis1, row$anis2)
    if (anyNA(anis)) input_error("anis", anis, "must be known in space")
    first <- c(row$anis1, 1)
    axes <- if (level && (row$ang1 %% 90) %in% 0)
      list(scales = c(if (row$ang1 %% 180 == 0) first else rev(first), row$anis2))
    else list(scales = c(1, row$anis1, row$anis2), rotation = c(90 - row$ang1, row$ang2, row$ang3))
  } else if (!row$anis1 %in% 1) axes <- list(angle = 90 - row$ang1, ratio = row$anis1)
  do.call(covModel, c(own, list(variance = row$psill), axes, given))
}
