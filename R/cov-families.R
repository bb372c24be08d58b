# The families of covariance models at unit variance and range. Where the engine has a function, `engine` is its
# parameter, `second` another, and `kernel` its name, if that is not the family's; else value(h, m) is the correlation
# and slope(h, m) h times its derivative, `farthest` is up to where tables of them make sense, and `cells` how many
# cells these have at most. shapes has the derivatives of the value for the parameters in `takes`, by name, and
# units(m) about how large these become. Besides:
#   spectrum  the spectral density in 1 to 3 dimensions; `radius` the quantile of |k| there in closed form, or NULL
#   table     the table of quantiles of |k| from its density, where density_table() alone would not do
#   line      the covariance of lines of the plane and of space in closed form
#   slow      what takes long: the "radius", the spectrum in the "plane", the closed "line", which is a quadrature
#   valid     the largest dimension, or TRUE or why not as a function of model and dimension
#   wave      largest wave number, for quadrature; `powers`: C is a sum of these times r^j up to 1
#   band      the wave numbers where the spectral density jumps to 0
#   rough     whether the spectral density has no second moment; for functions of the user it is not known
#   compact   whether the covariance is 0 beyond the range; `intrinsic`: there is a variogram and no covariance
#   mixture   s with C(h) the mean of exp(-s h^2) over uniform u and v, for completely monotone functions of h^2
#   own_unit  whether other parameters say what the range is
#   check     conditions on the parameters it takes, with refuse(bad, parameter, what); `sign` by parameter, `hint`
#             what is said where one is missing; `scaled` whether it has the argument `scaling`
#   bounds    of parameters whose bounds are not those of parameter_facts; `circle`: of those for great circles, for
#             which families without it and without compact support are not valid
#   filler, begin   of parameters for which they are not those of parameter_facts
#   search    coordinates of a search in place of several parameters, see cov-search.R
#   falls     logarithms of two distances between which the correlation falls to any level from 0.05 to 1
#   vgm       what the row of a model of gstat has, see cov-vgm.R
#   aliases   names in other packages, only of the same function of distance: gstat's Bes and others are different

family <- function(text, spectrum, ..., farthest = function(m) Inf, cells = 2048L, valid = 3, wave = 0,
                   compact = FALSE, units = function(m) 1, own_unit = FALSE,
                   rough = function(m) FALSE)
  list(text = text, spectrum = spectrum, ..., farthest = farthest, cells = cells,
       valid = if (is.function(valid)) valid else function(m, dim) {
         if (dim <= valid) TRUE else sprintf("it is valid up to dimension %d", valid)
       }, wave = wave, compact = compact, units = units, own_unit = own_unit, rough = rough)

# 2/(1 + 1/h^2) is 2 h^2/(1 + h^2) without overflow.
log1p_square <- function(h) ifelse(h > 1e8, 2 * log(h), log1p(pmin(h, 1e8)^2))

families <- list(
  matern = family("Matern", takes = "smoothness", valid = Inf, engine = function(m) m$smoothness, scaled = TRUE,
                  spectrum = function(k, m, dim) student_spectrum(k, m$smoothness, dim),
                  radius = function(u, m, dim) student_radius(u, m$smoothness, dim),
                  mixture = function(u, v, m) 0.25 / stats::qgamma(u, m$smoothness),
                  rough = function(m) m$smoothness <= 1, hint = " (0.5 is the exponential model)",
                  # far below the range even exp(-x) is 1, above 40 + 4 sqrt(smoothness) all is below 0.05
                  falls = function(m) log(m$range) + c(-600, log(40 + 4 * sqrt(m$smoothness))),
                  vgm = function(m) list(model = if (m$scaling == "plain") "Mat" else "Ste", kappa = m$smoothness,
                    range = switch(m$scaling, plain = m$range, sqrt2nu = m$range * sqrt(2), m$range / sqrt(2))),
                  circle = list(smoothness = c(0, 0.5)), begin = list(smoothness = function(m, choice, dim)
                    min(choice$smoothness, if (on_circle(m)) 0.4)), search = function(...) effective_pair(...),
                  aliases = c("whittle", "whittlematern", "mat", "ste")),
  exponential = family("Exponential", function(k, m, dim) student_spectrum(k, 0.5, dim), valid = Inf,
                       engine = function(m) 0.5, kernel = "matern", rough = function(m) TRUE,
                       mixture = function(u, v, m) 0.25 / stats::qgamma(u, 0.5),
                       radius = function(u, m, dim) student_radius(u, 0.5, dim), circle = list(),
                       vgm = function(m) list(model = "Exp"), aliases = c("exp", "expo")),
  # the engine takes care of the rounding of h^2 in exp(-h^2)
  gaussian = family("Gaussian", valid = Inf, engine = function(m) 0, spectrum = function(k, m, dim)
    unit_value(k / 2, list(name = "gaussian")) / (2^dim * pi^(dim / 2)),
    radius = function(u, m, dim) sqrt(2 * stats::qchisq(u, dim)), mixture = function(u, v, m) 1 + 0 * u,
    vgm = function(m) list(model = "Gau"), aliases = c("gau", "gauss")),
  spherical = family("Spherical", function(k, m, dim) spherical_spectrum(k, m, dim), engine = function(m) 0,
                     compact = TRUE, powers = c(1, -1.5, 0, 0.5), rough = function(m) TRUE,
                     vgm = function(m) list(model = "Sph"), aliases = c("sph", "spher", "spheric")),
  cubic = family("Cubic", function(k, m, dim) compact_spectrum(k, m, dim), engine = function(m) 0, compact = TRUE,
                 powers = c(1, 0, -7, 8.75, 0, -3.5, 0, 0.75), aliases = "cub"),
  pentaspherical = family("Pentaspherical", function(k, m, dim) compact_spectrum(k, m, dim), engine = function(m) 0,
                          compact = TRUE, powers = c(1, -1.875, 0, 1.25, 0, -0.375), rough = function(m) TRUE,
                          vgm = function(m) list(model = "Pen"), aliases = c("pen", "penta")),
  circular = family("Circular", function(k, m, dim) circular_spectrum(k, dim), engine = function(m) 0,
                    compact = TRUE, valid = 2, radius = function(u, m, dim) if (dim == 2) circular_radius(u),
                    line = list(function(h, m) circular_line(h)), rough = function(m) TRUE,
                    vgm = function(m) list(model = "Cir"), aliases = c("cir", "circ")),
  cosine = family("Cosine", function(k, m, dim) ball_spectrum(k, -0.5, dim), value = function(h, m) cos(h),
                  slope = function(h, m) -h * sin(h), farthest = function(m) 1024, cells = 8192L, valid = 1, wave = 1,
                  radius = function(u, m, dim) ball_radius(u, -0.5, dim),
                  vgm = function(m) list(model = "Per", range = 2 * pi * m$range), aliases = c("per", "periodic")),
  wendland = family("Generalised Wendland", takes = c("smoothness", "shape"), engine = function(m) m$smoothness,
                    second = function(m) m$shape, spectrum = function(k, m, dim) wendland_spectrum(k, m, dim),
                    valid = function(m, dim) if (m$shape >= (dim + 1) / 2 + m$smoothness) TRUE else sprintf(
                      "it needs shape >= smoothness + %g in dimension %d", (dim + 1) / 2, dim), compact = TRUE,
                    check = function(m, refuse) refuse(!isTRUE(cov_valid(m, 1)), "shape", sprintf(
                      "must be at least smoothness + 1, %s", format(m$smoothness + 1))),
                    table = function(density, m, dim) density_table(
                      density, limit = log(512), beyond = wendland_start(512, m, dim, mass = TRUE),
                      fall = 2 * m$smoothness + 1), rough = function(m) m$smoothness <= 0.5,
                    bounds = list(shape = c(1, Inf)), search = function(...) compact_pair(...),
                    filler = list(smoothness = function(m) 0, shape = function(m) m$smoothness + 3),
                    begin = list(smoothness = function(m, choice, dim)
                      min(max(choice$smoothness - 0.4, 0.02), if (on_circle(m)) 0.4),
                      shape = function(m, choice, dim) m$smoothness + (dim + 1) / 2 + 1), aliases = "genwend",
                    vgm = function(m) if (m$smoothness %in% 0 && m$shape %in% 1) list(model = "Lin")),
  cauchy = family("Cauchy", function(k, m, dim) cauchy_spectrum(k, m$shape, dim), takes = "shape", valid = Inf,
                  engine = function(m) m$shape, mixture = function(u, v, m) stats::qgamma(u, m$shape),
                  begin = list(shape = function(m, choice, dim) 2 * choice$smoothness),
                  aliases = c("rq", "ratquad")),
  powexp = family("Powered exponential", function(k, m, dim) powexp_spectrum(k, m$shape, dim), takes = "shape",
                  valid = Inf, engine = function(m) m$shape, bounds = list(shape = c(0, 2)),
                  mixture = function(u, v, m) positive_stable(u, v, m$shape / 2),
                  check = function(m, refuse)
                    refuse(m$shape > 2, "shape", "must be at most 2: beyond, the function is not positive definite"),
                  circle = list(shape = c(0, 1)), slow = "plane", rough = function(m) m$shape < 2,
                  begin = list(shape = function(m, choice, dim)
                    if (on_circle(m)) 0.7 else min(2 * choice$smoothness, 1.9)),
                  vgm = function(m) list(model = "Exc", kappa = m$shape),
                  aliases = c("stable", "exc", "poweredexponential")),
  besselj = family("Bessel", takes = "shape", value = function(h, m) bessel_wave(h, m$shape),
                   slope = function(h, m) wave_slope(h, m$shape),
                   shapes = list(shape = function(h, m) bessel_order(h, m$shape)),
                   units = function(m) 0.4 / (m$shape + 1), farthest = function(m) 1024, cells = 8192L,
                   spectrum = function(k, m, dim) ball_spectrum(k, m$shape, dim),
                   radius = function(u, m, dim) ball_radius(u, m$shape, dim), bounds = list(shape = c(0, 500)),
                   sign = list(shape = "not negative"), check = function(m, refuse)
                     refuse(m$shape > 500, "shape", "must be at most 500: see \"gaussian\""),
                   line = list(function(h, m) bessel_line(h, m), NULL), slow = "line",
                   vgm = function(m) if (m$shape %in% 0.5) list(model = "Hol"),
                   valid = function(m, dim) if (m$shape >= dim / 2 - 1) TRUE
                           else sprintf("it needs shape >= %g in dimension %d", dim / 2 - 1, dim), wave = 1,
                   aliases = "bessel"),
  sinc = family("Hole effect", function(k, m, dim) ball_spectrum(k, 0.5, dim), engine = function(m) 0,
                radius = function(u, m, dim) ball_radius(u, 0.5, dim),
                line = list(function(h, m) plane_wave(h), function(h, m) cos(h)),
                vgm = function(m) list(model = "Hol"), aliases = c("wave", "wav", "hol", "hole", "holeeffect")),
  powerlaw = family("Power law", takes = c("exponent", "kmin", "kmax"),
                    value = function(h, m) power_mean(h, m, waves$sinc),
                    slope = function(h, m) power_mean(h, m, waves$fall),
                    shapes = list(exponent = function(h, m) power_slope(h, m, "exponent"),
                                  kmin = function(h, m) power_slope(h, m, "kmin"),
                                  kmax = function(h, m) power_slope(h, m, "kmax")),
                    units = function(m) power_units(m), farthest = function(m) 1024 / m$kmax,
                    cells = 8192L, bounds = list(exponent = c(-30, 30)), own_unit = TRUE,
                    check = function(m, refuse) check_power_law(m, refuse), band = function(m) c(m$kmin, m$kmax),
                    filler = list(kmin = function(m) m$kmax / 2, kmax = function(m) m$kmin * 2),
                    spectrum = function(k, m, dim) power_spectrum(k, m, dim),
                    radius = function(u, m, dim) if (dim == 3) power_radius(u, m), slow = "line",
                    line = list(function(h, m) power_mean(h, m, line_waves[[1L]]),
                                function(h, m) power_mean(h, m, line_waves[[2L]]))),
  gammaspectrum = family("Gamma spectrum", takes = "exponent", engine = function(m) m$exponent + 2,
                         spectrum = function(k, m, dim) gamma_spectrum(k, m, dim),
                         bounds = list(exponent = c(-3, Inf)), check = function(m, refuse)
                           refuse(m$exponent <= -3, "exponent", "must be above -3: else the variance is infinite"),
                         radius = function(u, m, dim) if (dim == 3) stats::qgamma(u, m$exponent + 3),
                         line = list(NULL, function(h, m) { # S3 is proportional to k^a exp(-k)
                           n <- m$exponent + 3
                           cos(n * atan(h)) * exp(-n / 2 * log1p_square(h))
                         })),
  spectrum = family("Spectral density", takes = c("density", "dim"), own_unit = TRUE, sign = list(dim = ""),
                    check = function(m, refuse) {
                      refuse_dim(m, refuse)
                      density_panels(m)
                    }, slow = "line",
                    value = function(h, m) density_mean(h, m, wave_kernels[[m$dim]]$value),
                    slope = function(h, m) density_mean(h, m, wave_kernels[[m$dim]]$slope),
                    spectrum = function(k, m, dim) density_spectrum(k, m, dim),
                    valid = function(m, dim) if (dim <= m$dim) TRUE
                            else sprintf("its density is given for dimension %d, nothing is known beyond", m$dim),
                    line = list(function(h, m)
                      if (m$dim == 3) density_mean(h, m, plane_wave, plane_smooth) else density_mean(h, m, cos),
                      function(h, m) density_mean(h, m, cos))),
  covariance = family("Covariance function", takes = c("covariance", "dim"), own_unit = TRUE,
                      sign = list(dim = ""), check = function(m, refuse) {
                        refuse_dim(m, refuse)
                        check_covariance(m)
                      }, value = function(h, m) given_covariance(h, m), slope = function(h, m) given_slope(h, m),
                      spectrum = function(k, m, dim) given_spectrum(k, m, dim), slow = c("radius", "plane"),
                      table = function(density, m, dim) density_table(
                        density, start = -log(half_distance(m)), limit = log(1e3 / half_distance(m)), floor = 3e-11),
                      valid = function(m, dim) given_valid(m, dim)))

families$power <- family("Power variogram", function(k, m, dim) variogram_spectrum(k, m$shape, dim), takes = "shape",
                         valid = Inf, intrinsic = TRUE, check = function(m, refuse) refuse(
                           m$shape >= 2, "shape", "must be below 2: beyond, the function is no variogram"),
                         vgm = function(m) vgm_power(m), aliases = c("pow", "fbm"))

# What is no function of distance alone is for covariance() only. It has its own `arguments` of covModel() and, as
# functions, `make` for the model of these, `parameters` for their names, `print`, and `among` for covariances among
# points, if it is not of parts as the engine has them; `last` is what the last column of points is.
not_of_distance <- function(text, takes, what, arguments, ...) {
  why <- function(m, dim) paste("it is a function of", what, "for covariance()")
  family(text, NULL, takes = takes, valid = why, arguments = c("name", "variance", "nugget", "mean", arguments), ...)
}
of_space_and_time <- function(text, ...)
  not_of_distance(text, c("space", "time"), "space and time,", c("space", "time"), last = "time",
                  make = function(...) space_time_model(...), print = function(...) print_space_time(...),
                  parameters = function(...) space_time_parameters(...), rough = function(m) is_rough(m$space), ...)
families$separable <- of_space_and_time("Separable")
# The time of Gneiting's class is a list without a family of its own: `make` checks it for a model of space,
# `parameters` are those of a fit, `engine` is what the engine takes, and `falls` the lag of a level.
families$gneiting <- of_space_and_time("Gneiting", time = list(
  bounds = list(shape = c(0, 1), interaction = c(0, 1)), begin = list(shape = function(m, choice, dim) 0.5),
  make = function(space, time) gneiting_time(space, time), parameters = c("range", "shape", "interaction"),
  engine = function(time) list(`function` = "gaussian", scaling = "plain",
                               parameters = matrix(c(time$shape, time$range, 1), 1L),
                               more = c(time$interaction / 2, gneiting_power(time), time$dim), role = "gneiting"),
  falls = function(time, level)
    time$range * (level^(-1 / gneiting_power(time)) - 1)^(1 / (2 * time$shape))))
# Of any number of variables: see cov-several.R.
of_several <- function(text, takes, arguments, ...)
  not_of_distance(text, takes, "several variables,", c(arguments, "variable"), last = "variable",
                  among = function(...) several_covariance(...), ...)
families$multimatern <- of_several(
  "Multivariate Matern", c("smoothness", "correlation"),
  c("range", "smoothness", "scaling", "distance", "angle", "ratio", "scales", "radius", "rotation", "correlation",
    "dim"), make = function(...) multimatern_model(...), print = function(...) print_multimatern(...),
  parameters = function(...) multimatern_parameters(...), terms = function(...) multimatern_terms(...),
  settle = function(...) multimatern_settle(...), maps = function(...) multimatern_maps(...),
  spectra = function(...) matern_spectra(...),
  check = function(...) multimatern_valid(...))
families$bimatern <- of_several(
  "Bivariate Matern", c("smoothness", "correlation"),
  c("range", "smoothness", "scaling", "distance", "angle", "ratio", "scales", "radius", "rotation", "correlation",
    "dim"), make = function(...) bivariate_model(...), print = function(...) print_bivariate(...),
  parameters = function(...) bivariate_parameters(...), terms = function(...) bivariate_terms(...),
  settle = function(...) bivariate_settle(...), maps = function(...) bivariate_maps(...),
  spectra = function(...) matern_spectra(...),
  check = function(...) bivariate_valid(...))
families$lmc <- of_several(
  "Linear model of coregionalisation", c("parts", "sill"), c("parts", "sill", "rank"),
  make = function(...) lmc_model(...), print = function(...) print_lmc(...),
  parameters = function(...) lmc_parameters(...), terms = function(...) lmc_terms(...),
  settle = function(...) lmc_settle(...), maps = function(...) lmc_maps(...))

# Parameters of these may follow covariates (R/cov-local.R); `base` is the family.
local_families <- c("matern", "exponential", "gaussian", "cauchy", "powexp")
families[paste0("local.", local_families)] <- lapply(families[local_families], function(known) {
  known <- not_of_distance(
    known$text, known$takes, "covariates,", NULL, last = NULL, bounds = known$bounds, begin = known$begin,
    print = function(...) print_local(...), parameters = function(...) local_parameters(...),
    among = function(...) local_covariance(...))
  known$arguments <- NULL
  known
})
for (name in local_families) families[[paste0("local.", name)]]$base <- name
rm(name)

# The distance that is 1 in the formulas of the family.
unit_range <- function(part)
  part$range / switch(if (is.null(part$scaling)) "plain" else part$scaling, plain = 1,
                      sqrt2nu = sqrt(2 * part$smoothness), sqrt8nu = sqrt(8 * part$smoothness))

is_sum <- function(model) identical(model$name, "sum")

# The single models of which a model is the sum; nuggets are with them.
model_parts <- function(model) if (is_sum(model)) model$parts else list(model)

# TRUE, or why a part is no covariance in this dimension.
cov_valid <- function(part, dim) families[[part$name]]$valid(part, dim)

# Locations a, and b unless it is NULL, with the model among them, as the engine has them.
engine_among <- function(a, b, metric, parts) list(a = a, b = b, metric = metric, parts = parts)

# Parts as the engine has them, two for one of space and time, of which the first is in time and both have the
# variance; maps are of the differences in space.
engine_parts <- function(parts, maps = NULL) {
  all <- list()
  for (k in seq_along(parts)) all <- c(all, space_time_parts(parts[[k]], maps[[k]]))
  all
}

space_time_parts <- function(part, map) {
  if (is.null(part$space)) return(list(engine_part(part, map)))
  space <- engine_part(part$space, map)
  joint <- joint_time(part)
  time <- if (is.null(joint)) c(engine_part(part$time), list(role = "time")) else joint$engine(part$time)
  space$parameters[, 3L] <- time$parameters[, 3L] <- part$variance
  list(time, c(space, list(role = "space")))
}

# What the engine takes for a part (src/covariance/r_covariance.h); its parameters may be vectors.
engine_part <- function(part, map = NULL) {
  if (is_intrinsic(part))
    input_error("name", "power", "is a variogram, of fields by tbrf(): it has no covariance")
  known <- families[[part$name]]
  direct <- !is.null(known$engine)
  list(`function` = if (!direct) "source" else if (is.null(known$kernel)) part$name else known$kernel,
       scaling = if (is.null(part$scaling)) "plain" else part$scaling,
       parameters = cbind(if (direct) known$engine(part) else 0, part$range,
                          rep_len(part$variance, max(lengths(part[c("variance", "nugget")]))), deparse.level = 0L),
       map = map, second = if (!is.null(known$second)) known$second(part),
       source = if (!direct) list(function(h, need) switch(min(need, 3L), known$value(h, part), -known$slope(h, part),
                                                           known$shapes[[need - 2L]](h, part)),
                                  remembered(c("source", unit_part(part)), next_count()), Inf, known$farthest(part),
                                  known$cells, as.double(known$units(part))))
}

next_count <- function() session$count <- 1 + if (is.null(session$count)) 0 else session$count

# Covariances without nugget at distances h, and at unit variance and range the correlation and its slope.
cov_value <- function(part, h, what = "none") .Call(C_covariance, as.double(h), list(engine_part(part)),
                                                     list(list(what, 1L, NULL)))
unit_part <- function(part) c(list(variance = 1, range = 1), unclass(part)[c("name", families[[part$name]]$takes)])
unit_value <- function(h, part) cov_value(unit_part(part), h)
unit_slope <- function(h, part) -cov_value(unit_part(part), h, "range")

# What falls to 0 is 0 at infinity.
at_finite <- function(x, f) {
  value <- numeric(length(x))
  inside <- x < Inf
  value[inside] <- f(x[inside])
  value
}

# Spectral density at k radians per length: C(h) is its Fourier integral over the space of this dimension.
cov_spectrum <- function(part, k, dim) {
  a <- unit_range(part)
  part$variance * a^dim * at_finite(k * a, function(k) families[[part$name]]$spectrum(k, part, dim))
}
