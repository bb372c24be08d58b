# Fields of several variables. Where the model is a sum of independent fields of one variable, each times a vector, as
# that of coregionalisation is, these are fields of any method. Else waves are drawn from one spectral density for all
# variables (Emery, Arroyo and Porcu 2016).

check_several_request <- function(vector, time, correlation_time, data) {
  if (!is.null(vector)) input_error("model", "rfVector", "has a model of several variables: it takes that of one")
  if (!is.null(time)) input_error("time", time, "is for fields of one variable: those of several do not change")
  if (!is.null(correlation_time))
    input_error("correlation.time", correlation_time, "is for fields of one variable: those of several do not change")
  if (!is.null(data)) input_error("data", class(data)[1L], paste(
    "is for fields of one variable: of several simulate(fit, newdata = , method = \"tbrf\") is conditional, of a fit",
    "by gpFit(), with fixed = TRUE where the model is known"))
}

several_recipe <- function(places, model, nlines, nsim, settings) {
  names <- model$variable
  if (is.null(names)) names <- paste0("z", seq_len(variable_count(model)))
  sums <- independent_sums(model)
  own <- if (is.null(sums)) common_recipe(places, model, nlines, settings)
         else sums_recipe(places, model, sums, nlines, settings)
  if (own$space$dim > several_dim(model)) input_error("dim", several_dim(model), sprintf(paste(
    "must be at least the dimension of the points, %d: they have coordinates only, as the field has values of all",
    "variables at each of them"), own$space$dim))
  structure(c(list(model = model, space = own$space, nsim = nsim, variables = names), own[names(own) != "space"]),
            class = "rfRecipe")
}

# Recipes of one variable that a recipe is made of; their key is that of the whole.
inner_recipes <- function(recipe) {
  if (!is.null(recipe$fields)) return(lapply(recipe$fields, `[[`, "recipe"))
  if (!is.null(recipe$facies)) return(recipe$facies$fields)
  list(if (is.null(recipe$common)) recipe else recipe$common)
}

has_inner <- function(recipe) !is.null(recipe$fields) || !is.null(recipe$common) || !is.null(recipe$facies)

with_key <- function(own, recipe) {
  own$key <- recipe$key
  own
}

format_several <- function(x) {
  how <- unique(vapply(inner_recipes(x), format.rfRecipe, ""))
  if (length(how)) paste0(paste(how, collapse = "; "), transform_text(x)) else "nothing but noise and the mean"
}

with_variable <- function(xy, j) {
  xy <- cbind(unname(xy), j, deparse.level = 0L)
  colnames(xy) <- axis_names(ncol(xy))
  xy
}

# The root of the matrix of nuggets, by components.
nugget_root <- function(recipe) {
  if (is.null(recipe$variables)) return(diag(sqrt(model_nugget(recipe$model)), component_number(recipe)))
  own <- recipe$model$nugget
  p <- length(recipe$variables)
  if (!is.matrix(own)) return(diag(sqrt(own), p))
  root <- matrix_root(own)
  cbind(root, matrix(0, p, p - ncol(root)))
}

# B with B t(B) = x, of as many columns as x has rank, at unit diagonal, where pivots below 1e-12 are rounding errors.
matrix_root <- function(x) {
  unit <- sqrt(diag(x))
  used <- which(unit > 0)
  root <- matrix(0, nrow(x), 0L)
  if (!length(used)) return(root)
  scaled <- x[used, used, drop = FALSE] / tcrossprod(unit[used])
  factor <- suppressWarnings(chol(scaled, pivot = TRUE, tol = 1e-12)) # warns of a lower rank
  root <- matrix(0, nrow(x), attr(factor, "rank"))
  root[used[attr(factor, "pivot")], ] <- t(factor)[, seq_len(ncol(root)), drop = FALSE]
  root * unit
}

# ---- sums of independent fields ----

# What the terms of the model add up to for each of the models of one variable, with the root of that matrix; NULL if
# one of the matrices is no covariance.
independent_sums <- function(model) {
  terms <- families[[model$name]]$terms(model, FALSE)
  parts <- lapply(terms, `[[`, "part")
  first <- match(parts, parts)
  sums <- lapply(unique(first), function(k)
    list(part = parts[[k]], weight = Reduce(`+`, lapply(terms[first == k], `[[`, "weight"))))
  sums <- Filter(function(own) any(own$weight != 0), sums)
  good <- vapply(sums, function(own) is_semidefinite(own$weight), NA)
  if (all(good)) lapply(sums, function(own)
    list(part = model_of_part(own$part), root = matrix_root(own$weight)))
}

is_semidefinite <- function(x) all(x[diag(x) <= 0, ] == 0) && least_eigenvalue(x) >= -1e-10

model_of_part <- function(part) {
  part[c("variance", "nugget", "mean")] <- list(1, 0, 0)
  do.call(covModel, unclass(part)[setdiff(names(part), "mean")], quote = TRUE)
}

# One recipe for each part, which makes as many fields as its root has columns.
sums_recipe <- function(places, model, sums, nlines, settings) {
  fields <- lapply(sums, function(own)
    list(recipe = new_recipe(places, own$part, nlines, 1L, settings), root = own$root))
  terms <- families[[model$name]]$terms(model, FALSE)
  space <- if (length(fields)) fields[[1L]]$recipe$space else space_of(places, model_of_part(terms[[1L]]$part))
  list(space = space, method = "parts", fields = fields)
}

# Field number `sim` takes as many fields of one variable, with numbers of their own.
parts_field <- function(recipe, places) {
  field <- lapply(inner_recipes(recipe), function(own) field_function(with_key(own, recipe), places))
  roots <- lapply(recipe$fields, `[[`, "root")
  total <- sum(vapply(roots, ncol, 1L))
  function(sim, into, at) {
    number <- (sim - 1) * total
    for (k in seq_along(field)) for (q in seq_len(ncol(roots[[k]]))) {
      number <- number + 1
      one <- .Call(C_bandRoom, places$n)
      field[[k]](number, one, 0)
      for (i in which(roots[[k]][, q] != 0))
        .Call(C_bandAdd, into, at + (i - 1) * places$n, roots[[k]][i, q] * one, places$n)
    }
  }
}

# ---- waves of all variables ----

# Waves are those of the variables' own models in turn, n_m of model m, of which each is a wave of all variables. With
# the spectral densities f_m of unit variance and the matrix F of the variables' densities, that is a sum over waves
#   Z_i(x) = sum_l sum_q A_iq(k_l) cos(k_l . x + phi_l + psi_lq),  A A' = 2 F/lambda,  lambda = sum_m n_m f_m,
# with uniform phases, whose covariance is in the mean int lambda(k) (A A')(k)/2 cos(k . h) dk, that of the model. A
# density of a variable is at most 1/n_m times lambda, so that no wave has a larger amplitude than it would have in a
# field of n_m waves of this variable alone. (Emery, Arroyo and Porcu draw from any density that is positive where F
# is; this one is the balance heuristic of multiple importance sampling, Veach and Guibas 1995.) Of waves in shells
# (rf-shells.R) those of shell j of model m are n_mj for the probability P_mj, and n_mj/P_mj stands in place of n_m
# where the shell is.
common_recipe <- function(places, model, nlines, settings) {
  if (!settings$method %in% c("auto", "spectral")) input_error("method", settings$method, sprintf(paste(
    "is not for \"%s\" of variables with a smoothness or range of their own, whose waves are drawn: \"spectral\" is"),
    model$name))
  refuse_unused(settings$given, "spectral")
  one_number("nlines", nlines, "positive")
  if (nlines < 1) input_error("nlines", nlines,
                              "is a tolerance, which is not known for several variables: give the number")
  if (nlines > 2e7) input_error("nlines", nlines, "must be at most 2e7")
  own <- Filter(function(term) term$pairs[1L, 1L] == term$pairs[1L, 2L], families[[model$name]]$terms(model, FALSE))
  parts <- lapply(own, `[[`, "part")
  first <- unique(match(parts, parts))
  drawn <- Reduce(`+`, lapply(parts[first], model_of_part))
  space <- space_of(places, drawn)
  common <- list(model = drawn, space = space, nsim = 1L, method = "spectral", directions = settings$directions,
                 wave_dim = rep(space$dim, length(first)), radii = TRUE, of = first)
  if (settings$waves == "shells") common$waves <- "shells"
  list(space = space, method = "spectral", common = structure(share_lines(common, whole_number("nlines", nlines)),
                                                              class = "rfRecipe"))
}

# Coefficients of the cosines and sines of the waves, those of A with the phases psi, of which the first is 0. From
# wave to wave the others go on by irrational parts of a turn, from a random origin: each is uniform, and what two of
# them make of the covariances of a single field, A_iq A_jr cos(psi_q - psi_r), is next to 0 in any run of waves. Of
# independent phases it would be some 1/sqrt(nlines) of the variance. Roots of primes are independent of each other
# and, but for that of 5, of the numbers that directions go on by.
common_coefficients <- function(recipe, sim, waves, before) {
  p <- length(recipe$variables)
  n <- length(waves$phase)
  root <- wave_roots(recipe, waves$radius)
  shift <- uniforms_for(field_key(recipe$key, sim), 0L)(202, p)
  step <- sqrt(primes_but_five(p - 1L))
  cosine <- matrix(root[, , 1L], n)
  sine <- matrix(0, n, p)
  for (q in seq_len(p)[-1L]) {
    turn <- (shift[q] + (before + seq_len(n)) * step[q - 1L]) %% 1
    cosine <- cosine + cospi(2 * turn) * root[, , q]
    sine <- sine - sinpi(2 * turn) * root[, , q]
  }
  list(phase = waves$phase, cosine = cosine, sine = sine)
}

primes_but_five <- function(n) {
  known <- integer()
  i <- 2L
  while (length(known) < n) {
    if (i != 5L && i %% 5L != 0L && all(i %% known != 0L)) known <- c(known, i)
    i <- i + 1L
  }
  known
}

# The matrices A of waves of these lengths, in an array of waves, variables and phases.
wave_roots <- function(recipe, radius) {
  p <- length(recipe$variables)
  n <- length(radius)
  k <- pmin(radius, 1e280) # times a range, too, a number
  common <- recipe$common
  spectra <- families[[recipe$model$name]]$spectra(recipe$model, k, recipe$space$dim)
  each <- vapply(seq_along(common$of), function(m)
    spectra$own[, common$of[m]] + log(waves_per_probability(common, m, k)), k)
  each <- matrix(each, n)
  most <- do.call(pmax, lapply(seq_len(ncol(each)), function(m) each[, m]))
  log_lambda <- most + log(rowSums(exp(each - most)))
  root <- array(0, c(n, p, p))
  for (j in seq_len(p)) { # Cholesky, whose pivots of singular matrices are rounding errors
    before <- seq_len(j - 1L)
    of <- function(i) if (j == 1L) 0 else rowSums(matrix(root[, i, before] * root[, j, before], n))
    pivot <- 1 - of(j)
    good <- pivot > 1e-14
    root[good, j, j] <- sqrt(pivot[good])
    for (i in seq_len(p)[-seq_len(j)])
      root[good, i, j] <- ((spectra$coherence(i, j) - of(i)) / root[, j, j])[good]
  }
  for (i in seq_len(p))
    root[, i, ] <- root[, i, ] * (sqrt(2 * spectra$variance[i]) * exp((spectra$own[, i] - log_lambda) / 2))
  root
}

# Of part m at lengths k: how many of its waves there are for a unit of probability.
waves_per_probability <- function(common, m, k) {
  shells <- common$shells[[m]]
  if (is.null(shells)) return(rep(common$share[m], length(k)))
  ends <- cov_radius(model_parts(common$model)[[m]], 1 - 2^-seq_len(length(shells) - 1L), common$wave_dim[m])
  (shells / shell_masses(length(shells)))[findInterval(k, ends) + 1L]
}
