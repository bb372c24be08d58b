# Objects of families: those that glm() takes, those of other packages, and constructors for all others.

#' Families of responses for Gaussian processes
#'
#' Distributions of responses for `gpFit(family = )`, besides [gaussian()], [poisson()], [binomial()], `Gamma("log")`
#' and `inverse.gaussian("log")`. The linear predictor \eqn{\eta = X\beta + Z}{eta = X beta + Z} has the Gaussian
#' process Z, and \eqn{\mu = e^\eta}{mu = exp(eta)} where the link is the logarithm.
#'
#' Further parameters of a family are estimated. They are among the `parameters` of a fit by the names
#' below, by which `fixed` and `start` of [gpFit()] take them, as in `fixed = list(family.theta = 2)`.
#'
#' * `nbinom2()`: counts with the variance \eqn{\mu + \mu^2/\theta}{mu + mu^2/theta}; `family.theta`.
#' * `nbinom1()`: counts with the variance \eqn{\mu(1 + \phi)}{mu (1 + phi)}; `family.phi`.
#' * `truncated_poisson()`, `truncated_nbinom2()`, `truncated_nbinom1()`: these, given that they are not 0.
#' * `zi_poisson()`, `zi_nbinom2()`, `zi_nbinom1()`: with the probability `family.zero` 0, else one of these.
#' * `hurdle_poisson()`, `hurdle_nbinom2()`, `hurdle_nbinom1()`: with the probability `family.zero` 0, else one of the
#'   truncated ones.
#' * `betabinomial()`: successes in trials, whose probability has a beta distribution with the mean
#'   \eqn{m = 1/(1 + e^{-\eta})}{m = plogis(eta)} and the shapes \eqn{m\phi}{m phi} and
#'   \eqn{(1 - m)\phi}{(1 - m) phi}; `family.phi`.
#' * `beta_family()`: shares between 0 and 1 with that beta distribution; `family.phi`.
#' * `lognormal()`: \eqn{\log y}{log(y)} is normal with mean \eqn{\eta}{eta} and standard deviation `family.sdlog`.
#' * `inverse.gaussian("log")`: the variance is \eqn{\phi\mu^3}{phi mu^3}; `family.phi`.
#' * `tweedie()`: zeros and positive numbers with the variance \eqn{\phi\mu^p}{phi mu^p}; `family.phi`, and the
#'   power p, `family.power`, from 1.01 to 1.99.
#' * `delta_gamma()`, `delta_lognormal()`: with the probability `family.zero` 0, else from a Gamma distribution with
#'   mean \eqn{\mu}{mu} and `family.shape`, or log-normal with `family.sdlog`.
#' * `student()`: Student's t with `family.df` degrees of freedom, times `family.scale`, around \eqn{\eta}{eta}.
#' * `cumulative()`: ordered categories, \eqn{P(y \le k) = F(c_k - \eta)}{P(y <= k) = F(c_k - eta)} with the logistic
#'   or the normal distribution function F. Here \eqn{c_1}{c_1} is `family.cut1`, and `family.gap2`, ... are the
#'   differences from each threshold to the next.
#'
#' `zi = ~ x` of [gpFit()] gives the probability of a zero covariates: its logit is a linear function of these, with
#' coefficients by the names `zi.(Intercept)` and `zi.x` in place of `family.zero`. For hurdle and delta families that
#' is a logistic regression of what is zero.
#'
#' With an intercept in the formula, or covariates that add up to one, `family.cut1` is 0 unless it is given; `y ~ 0 +
#' x` has the thresholds of `MASS::polr()` instead. Responses of `cumulative()` are ordered factors, or the numbers 1,
#' 2, ... of categories; their means are those of these numbers, and `predict(fit, type = "probabilities")` has the
#' probabilities of all.
#'
#' Responses of `gaussian()`, `lognormal()`, `student()` and `poisson()` may be [censored()].
#'
#' `family` of [gpFit()] also takes objects of other packages that are the same distribution:
#' `MASS::negative.binomial(theta)`, with that theta; `nb()`, `tw()`, `betar()`, `scat()` and `ocat()` of package
#' \pkg{mgcv}, with the parameters that they hold fixed, if any, and `ziP()`, which stands for `zi_poisson()`: a
#' constant probability of zeros, not one that depends on the mean; those of \pkg{glmmTMB} with the links above, with
#' the parameters of this page. The negative binomial, Tweedie and beta distributions are those of these packages;
#' `lognormal()` has \eqn{\eta}{eta} for the mean of the logarithm, not for the logarithm of the mean. Quasi families
#' have no likelihood: `nbinom2()`, `nbinom1()` or `betabinomial()` are distributions with overdispersion.
#'
#' The log densities are exact. That of the Tweedie distributions is the series of Dunn and Smyth (2005), summed
#' around its largest term until what is left out is below `exp(-42)` of it. The densities of Student's t, beta,
#' zero-inflated and inverse Gaussian responses, and of `binomial("cauchit")`, are not logarithmically concave in
#' \eqn{\eta}{eta}: the mode of the process that Laplace's approximation takes is then the one that Newton's method,
#' with the positive part of the second derivatives far from it, reaches from 0 or from that of the parameters before,
#' and the likelihood may have several maxima. The value has the second derivatives as they are; where the sum of
#' these and of the precision of the process is not positive definite, it has their positive part instead.
#'
#' The largest response is between 1e-90 and 1e90 in size; fits do not depend on its unit.
#'
#' Where the likelihood rises to a limit, as for counts without overdispersion (`theta` to infinity, the Poisson
#' distribution), the estimate is there, on its `boundary`.
#'
#' @param link link function.
#' @param theta,power,df the value of this parameter, if it is known.
#' @return An object of class `family` for [gpFit()]; [glm()] does not take it.
#' @references
#' Dunn, P. K. and Smyth, G. K. (1996). Randomized quantile residuals. *Journal of Computational and Graphical
#' Statistics* **5**, 236--244.
#'
#' Dunn, P. K. and Smyth, G. K. (2005). Series evaluation of Tweedie exponential dispersion model densities.
#' *Statistics and Computing* **15**, 267--280.
#' @seealso [gpFit()], [predict()][predict.gpFit], [residuals()][residuals.gpFit] of type `"quantile"`
#' @examples
#' nbinom2()
#' # earthquakes near Fiji: numbers of stations that have reported, beyond the ten that all have
#' quakes <- subset(datasets::quakes, depth < 60)
#' fit <- gpFit(I(stations - 10) ~ mag, quakes, coords = ~ long + lat, family = nbinom2(),
#'              cov = covModel("exponential", range = NA, variance = NA, distance = "chordal"))
#' fit
#' @name gpFamilies
NULL

own_family <- function(name, link, given = list()) {
  known <- response_families[[name]]$links
  if (!is.character(link) || length(link) != 1L || !link %in% known)
    input_error("link", if (is.character(link)) link else class(link)[1L],
                paste("must be", paste(known, collapse = ", ")))
  made <- stats::make.link(link)
  given <- Filter(Negate(is.null), given)
  structure(c(list(family = name), link = link, made[c("linkfun", "linkinv", "mu.eta", "valideta")],
              if (length(given)) list(given = unlist(given))), class = c("gpFamily", "family"))
}

#' @rdname gpFamilies
#' @export
nbinom2 <- function(link = "log", theta = NULL) {
  check_single("theta", theta, "positive")
  own_family("nbinom2", link, list(theta = theta))
}

#' @rdname gpFamilies
#' @export
nbinom1 <- function(link = "log") own_family("nbinom1", link)

#' @rdname gpFamilies
#' @export
truncated_poisson <- function(link = "log") own_family("truncated_poisson", link)

#' @rdname gpFamilies
#' @export
truncated_nbinom2 <- function(link = "log") own_family("truncated_nbinom2", link)

#' @rdname gpFamilies
#' @export
truncated_nbinom1 <- function(link = "log") own_family("truncated_nbinom1", link)

#' @rdname gpFamilies
#' @export
zi_poisson <- function(link = "log") own_family("zi_poisson", link)

#' @rdname gpFamilies
#' @export
zi_nbinom2 <- function(link = "log") own_family("zi_nbinom2", link)

#' @rdname gpFamilies
#' @export
zi_nbinom1 <- function(link = "log") own_family("zi_nbinom1", link)

#' @rdname gpFamilies
#' @export
hurdle_poisson <- function(link = "log") own_family("hurdle_poisson", link)

#' @rdname gpFamilies
#' @export
hurdle_nbinom2 <- function(link = "log") own_family("hurdle_nbinom2", link)

#' @rdname gpFamilies
#' @export
hurdle_nbinom1 <- function(link = "log") own_family("hurdle_nbinom1", link)

#' @rdname gpFamilies
#' @export
betabinomial <- function(link = "logit") own_family("betabinomial", link)

#' @rdname gpFamilies
#' @export
beta_family <- function(link = "logit") own_family("beta", link)

#' @rdname gpFamilies
#' @export
lognormal <- function(link = "log") own_family("lognormal", link)

#' @rdname gpFamilies
#' @export
tweedie <- function(link = "log", power = NULL) {
  if (!is.null(power)) check_own_value("power", power, response_families$tweedie$parameters()$power)
  own_family("tweedie", link, list(power = power))
}

#' @rdname gpFamilies
#' @export
delta_gamma <- function(link = "log") own_family("delta_gamma", link)

#' @rdname gpFamilies
#' @export
delta_lognormal <- function(link = "log") own_family("delta_lognormal", link)

#' @rdname gpFamilies
#' @export
student <- function(link = "identity", df = NULL) {
  check_single("df", df, "positive")
  own_family("student", link, list(df = df))
}

#' @rdname gpFamilies
#' @export
cumulative <- function(link = "logit") own_family("cumulative", link)

# ---- objects of others ----

# Those of packages MASS, mgcv and glmmTMB that are the same distribution: the name of ours, and what is given.
foreign_family <- function(family) {
  if (inherits(family, "gpFamily")) return(NULL)
  theta <- function(at = TRUE) tryCatch(if (family$n.theta == 0) family$getTheta(at), error = function(e) NULL)
  # getTheta(TRUE) is on the scale of the parameters
  switch(sub("\\(.*", "", tolower(family$family)),
    "negative binomial" = {
      known <- if (is.null(family$n.theta)) environment(family$variance)$.Theta else theta()
      list("nbinom2", if (!is.null(known)) list(theta = known))
    },
    tweedie = {
      known <- if (is.null(family$n.theta)) environment(family$variance)$p else theta()
      list("tweedie", if (is.numeric(known)) list(power = known))
    },
    "beta regression" = list("beta", if (!is.null(theta())) list(phi = theta())),
    "scaled t" = list("student", if (!is.null(theta())) list(df = theta()[1L], scale = theta()[2L])),
    "ordered categorical" = { # -1 is its first threshold
      gaps <- diff(theta())
      list("cumulative", if (length(gaps)) as.list(stats::setNames(gaps, sprintf("gap%d", seq_along(gaps) + 1L))))
    },
    "zero inflated poisson" = list("zi_poisson"),
    t = list("student"),
    if (!family$family %in% c("gaussian", "poisson", "binomial", "Gamma", "inverse.gaussian") &&
        !is.null(response_families[[family$family]])) list(family$family))
}

# The argument `family` as glm() takes it; NULL is the normal distribution.
response_family <- function(family) {
  base <- c("gaussian", "poisson", "binomial", "Gamma")
  ours <- c(setdiff(names(response_families), c("beta", "gaussian")), "beta_family")
  if (is.character(family) && length(family) == 1L) {
    if (family %in% c(base, "inverse.gaussian")) family <- get(family, asNamespace("stats"), mode = "function")
    else if (family %in% ours) family <- get(family, mode = "function")
    else if (family == "beta") family <- beta_family
  }
  if (is.function(family)) family <- tryCatch(family(), error = function(e) family)
  own <- inherits(family, "family")
  if (own && is.character(family$family) && !is.null(theirs <- foreign_family(family))) {
    link <- switch(theirs[[1L]], cumulative = "logit", zi_poisson = "log", family$link)
    if (!link %in% response_families[[theirs[[1L]]]]$links)
      input_error("family", sprintf("%s(%s)", family$family, link),
                  paste("must have the link", paste(response_families[[theirs[[1L]]]]$links, collapse = ", ")))
    family <- own_family(theirs[[1L]], link, c(theirs, list(NULL))[[2L]])
  }
  if (own && identical(family$family, "gaussian")) known <- "identity"
  else known <- if (own) response_families[[family$family]]$links
  if (is.null(known)) {
    name <- if (own) family$family else if (is.character(family)) family else class(family)[1L]
    input_error("family", name, paste0(if (own) paste("must be one of", toString(unique(c(base, ours))))
      else "must be a family as glm() takes it, such as gaussian, poisson, binomial or Gamma, or one of ?gpFamilies",
      family_instead(name)))
  }
  if (!family$link %in% known) {
    hint <- if (family$family == "gaussian") ": transform the response, as in log(y) ~ x"
            else if (identical(known, "log")) sprintf(": family = %s(\"log\")", family$family)
    input_error("family", sprintf("%s(%s)", family$family, family$link),
                paste0("must have the link ", paste(known, collapse = ", "), hint))
  }
  if (family$family != "gaussian") family
}

# What stands for families that are not offered.
family_instead <- function(name) {
  instead <- c("quasipoisson|compois|genpois" = "nbinom1() and nbinom2() are for overdispersed counts",
               quasibinomial = "betabinomial() is for overdispersed numbers of successes",
               "^quasi$" = "a likelihood needs a distribution: nbinom2(), tweedie() or Gamma(\"log\")",
               "nb|neg" = "nbinom2() has the variance mu + mu^2/theta, nbinom1() mu (1 + phi)",
               "weibull|exponential" = "Gamma(\"log\") and lognormal() are for positive responses",
               "zero|zi|hurdle" = "zi_poisson(), hurdle_poisson() and delta_gamma() are for many zeros",
               stable = "student() has heavy tails; stableReg() has stable errors, without a process",
               ord = "cumulative() is for ordered categories")
  at <- which(vapply(names(instead), grepl, NA, name, ignore.case = TRUE))
  if (length(at)) paste0("; ", instead[[at[1L]]]) else ""
}
