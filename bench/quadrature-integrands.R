# Integrands of the kinds that R packages, help pages and usual questions have: how many give the value of
# integrate(), and how many are translated. Each row names a package or page to whose subject the formula belongs; the
# code is written here from the formula. Compared with sources were the rows with a * behind the name: ?integrate;
# R/Gompertz.R, R/GenGamma.R and R/Llogis.R of flexsurv; src/burr.c of actuar; src/imhof.cpp of CompQuadForm;
# R/meta-ttest-utility.R and, of earlier versions, t.joint() of BayesFactor; R/cosine.expansion.R of Rdistance;
# Frank's Debye function as users integrate it. The other names were not looked up in the packages' sources.
#
#   Rscript bench/quadrature-integrands.R [verbose]
library(statcl)

set.seed(4)
y <- c(0.3, -1.2, 0.8, 2.1, -0.4)
counts <- c(3, 0, 2, 5, 1)
fit <- lm(mpg ~ wt, mtcars)
tab <- approxfun(c(0, 1, 2, 4), c(0, 2, 1, 3), rule = 2)
smooth <- splinefun(0:4, c(0, 1, 0, 2, 1))
steps <- stepfun(1:3, c(0, 1, 3, 2))
Fn <- ecdf(y)
kde <- function(x) rowMeans(outer(x, y, function(a, b) dnorm(a, b, 0.5)))
hazard <- function(t) 0.1 * t^0.5 + 0.02 * exp(0.3 * t)
heston <- function(u, kappa = 2, theta = 0.04, sigma = 0.3, rho = -0.7, v = 0.04, t = 1) {
  i <- complex(real = 0, imaginary = 1)
  d <- sqrt((rho * sigma * u * i - kappa)^2 + sigma^2 * (i * u + u^2))
  g <- (kappa - rho * sigma * u * i - d) / (kappa - rho * sigma * u * i + d)
  exp(kappa * theta / sigma^2 * ((kappa - rho * sigma * u * i - d) * t - 2 * log((1 - g * exp(-d * t)) / (1 - g))) +
        v / sigma^2 * (kappa - rho * sigma * u * i - d) * (1 - exp(-d * t)) / (1 - g * exp(-d * t)))
}
X <- cbind(1, c(-1, 0, 1, 2, 0.5))
beta <- c(0.2, 0.7)
kernel <- function(u) 0.75 * (1 - u^2) * (abs(u) <= 1)

# origin, integrand, lower, upper
cases <- list(
  list("stats ?integrate *", dnorm, -1.96, 1.96),
  list("stats ?integrate *", function(x) 1 / ((x + 1) * sqrt(x)), 0, Inf),
  list("stats ?integrate *", function(x) exp(-x^2 / 2), -Inf, Inf),
  list("stats ?integrate *", function(x) 2, 0, 10),
  list("stats power.t.test: power over the scale", function(s) pt(-2, 9, 1.5) * dchisq(s, 9) + dchisq(s, 9), 0, 40),
  list("stats ?ptukey: range of normals", function(z) 3 * dnorm(z) * (pnorm(z) - pnorm(z - 2))^2, -8, 8),
  list("stats ?pbirthday style: order statistics", function(x) x * 5 * pgamma(x, 2)^4 * dgamma(x, 2), 0, Inf),
  list("stats ?approxfun", function(x) tab(x), 0, 4),
  list("stats ?splinefun", function(x) smooth(x) * exp(-x), 0, 4),
  list("stats ?splinefun", function(x) smooth(x, deriv = 1)^2, 0, 4),
  list("stats ?stepfun", function(x) steps(x) * x, 0, 4),
  list("stats ?ecdf: Cramer-von Mises", function(x) (Fn(x) - pnorm(x))^2 * dnorm(x), -3, 3),
  list("stats ?density: mean of a kernel estimate", function(x) x * kde(x), -6, 6),
  list("stats ?polyroot: polynomial", function(x) sapply(x, function(u) sum(c(6, -5, 1) * u^(0:2))), 0, 3),
  list("stats ?lm: prediction", function(x) coef(fit)[1] + coef(fit)[2] * x, 1.5, 5.4),
  list("stats ?optimize: posterior", function(p) dbinom(7, 10, p) * dbeta(p, 2, 2), 0, 1),
  list("base ?besselJ", function(x) besselJ(x, 0)^2, 0, 10),
  list("base ?besselI: von Mises", function(a) exp(2 * cos(a)) / (2 * pi * besselI(2, 0)), -pi, pi),
  list("base ?Bessel: Rice", function(r) r * exp(-(r^2 + 1) / 2) * besselI(r, 0), 0, 8),
  list("base ?besselK: Matern spectrum", function(x) x * besselK(x, 1.5), 0, Inf),
  list("base ?complex: characteristic function", function(t) Re(exp(-1i * t) * exp(-t^2 / 2)) / (2 * pi), -Inf, Inf),
  list("base ?Vectorize", Vectorize(function(x) if (x < 1) x else 1 / x^2), 0, Inf),
  list("base ?Vectorize", Vectorize(function(a) sum(dnorm(y, a, log = TRUE))), -1, 1),
  list("base ?switch", function(x, kind = "b") switch(kind, a = x, b = x^2), 0, 1),
  list("base ?ifelse: Huber", function(x) ifelse(abs(x) <= 1.345, x^2 / 2, 1.345 * abs(x) - 1.345^2 / 2) * dnorm(x),
       -8, 8),
  list("base ?vapply: product likelihood", function(s) vapply(s, function(s) prod(dnorm(y, 0, s)), 0), 0.2, 10),
  list("base ?mapply", function(x) mapply(function(a, b) a * exp(-b), x, x), 0, 5),
  list("base ?outer: mixture", function(x) as.vector(outer(x, y, dnorm) %*% rep(1 / 5, 5)), -Inf, Inf),
  list("base ?apply", function(x) apply(outer(y, x, dnorm), 2, prod), -3, 3),
  list("base ?tryCatch", function(x) tryCatch(sqrt(x), error = function(e) 0), 0, 1),
  list("base ?Recall: Legendre by recurrence", function(x) { a <- 1; b <- x; for (k in 2:5) {
    n <- ((2 * k - 1) * x * b - (k - 1) * a) / k; a <- b; b <- n }; b^2 }, -1, 1),
  list("survival ?survreg: mean life", function(t) pweibull(t, 1.5, 2, lower.tail = FALSE), 0, Inf),
  list("survival ?survexp: cumulative hazard", hazard, 0, 5),
  list("survival: restricted mean", function(t) exp(-sapply(t, function(u) integrate(hazard, 0, u)$value)), 0, 4),
  list("flexsurv ?rmst: Gompertz *", function(t) exp(-0.1 / 0.2 * expm1(0.2 * t)), 0, 10),
  list("flexsurv ?pgengamma *", function(t) 1 - pgamma(2 * exp(0.8 * log(t)), 1.3), 1e-9, 20),
  list("flexsurv ?llogis *", function(t) 1 / (1 + (t / 2)^3), 0, Inf),
  list("eha ?phreg: piecewise hazards", function(t) ifelse(t < 1, 0.2, ifelse(t < 3, 0.5, 0.1)) * exp(-t), 0, 6),
  list("frailtypack: gamma frailty", function(u) dgamma(u, 2, 2) * u^3 * exp(-1.7 * u), 0, Inf),
  list("lme4 ?glmer: binomial random intercept",
       function(u) dnorm(u) * plogis(0.3 + u)^3 * plogis(-0.3 - u), -Inf, Inf),
  list("lme4: Poisson random intercept",
       function(u) dnorm(u) * sapply(u, function(v) prod(dpois(counts, exp(0.2 + v)))),
       -6, 6),
  list("glmmML: product over a cluster", function(u) sapply(u, function(v) prod(plogis(X %*% beta + v))) * dnorm(u),
       -8, 8),
  list("glmmTMB: zero inflation", function(u) (0.2 + 0.8 * dnbinom(0, 2, mu = exp(u))) * dnorm(u), -6, 6),
  list("ordinal ?clmm", function(u) (pnorm(1 - u) - pnorm(-0.5 - u)) * dnorm(u, 0, 0.7), -Inf, Inf),
  list("ltm ?rasch", function(z) dnorm(z) * plogis(z + 1) * plogis(z) * plogis(1 - z), -Inf, Inf),
  list("mirt: 3PL", function(z) dnorm(z) * (0.2 + 0.8 * plogis(1.5 * (z - 0.5))), -Inf, Inf),
  list("mixed logit, mlogit", function(b) dlnorm(b) * exp(-b) / (exp(-b) + exp(-2 * b) + 1), 0, Inf),
  list("actuar ?dpareto: limited mean", function(x) 1 - (1 - (3 / (x + 3))^2.5), 0, 10),
  list("actuar ?dburr *", function(x) x * 2 * 1.5 * x^0.5 / (1 + x^1.5)^3, 0, Inf),
  list("actuar ?dinvgauss", function(x) sqrt(2 / (2 * pi * x^3)) * exp(-2 * (x - 1)^2 / (2 * x)), 0, Inf),
  list("evd ?dgev", function(x) { z <- (1 + 0.2 * x); x * exp(-z^-5) * z^-6 }, -4.99, Inf),
  list("evir: expected shortfall", function(p) qexp(p)^1.5, 0.95, 1),
  list("extRemes ?devd with a guard", function(x) { if (any(x < 0)) stop("negative"); dexp(x) * x }, 0, Inf),
  list("VGAM ?rayleigh", function(x) x^3 * exp(-x^2 / 2), 0, Inf),
  list("VGAM: beta-binomial", function(p) dbinom(3, 8, p) * p * (1 - p)^0.5 / beta(2, 1.5), 0, 1),
  list("gamlss.dist ?SICHEL", function(s) s^2 * exp(-s) * dpois(2, s), 0, Inf),
  list("sn ?dsn: mean", function(x) x * 2 * dnorm(x) * pnorm(3 * x), -Inf, Inf),
  list("sn ?dst: mass", function(x) 2 * dt(x, 4) * pt(2 * x * sqrt(5 / (4 + x^2)), 5), -Inf, Inf),
  list("mnormt: bivariate normal", function(x) dnorm(x) * pnorm((0.5 - 0.6 * x) / 0.8), -8, 1),
  list("mvtnorm ?pmvt: t by its scale", function(w) pnorm(1.5 * sqrt(w))^2 * dgamma(w, 2.5, 2.5), 0, Inf),
  list("copula: Clayton tau", function(t) (t^2 * (t^-1 - 1)) * 4, 0, 1),
  list("copula: Frank's Debye function *", function(t) t / expm1(t), 0, 5),
  list("copula: Gumbel generator", function(t) (-log(t))^1.5 * t, 0, 1),
  list("fOptions: Heston, P2", function(u) Re(exp(-1i * u * log(1.1)) * heston(u) / (1i * u)), 1e-8, 60),
  list("NMOF ?callHestoncf", function(u) Re(heston(u - 1i) / (1i * u * heston(-1i))), 1e-8, 60),
  list("Gil-Pelaez inversion, CharFun", function(t) Im(exp(-1i * t) * (1 - 1i * t)^-2) / t, 1e-9, 400),
  list("CompQuadForm ?imhof *", function(u) { s <- 0.5 * (atan(u) + atan(2 * u)) - 0.75 * u
    sin(s) / (u * ((1 + u^2) * (1 + 4 * u^2))^0.25) }, 1e-10, 200),
  list("stabledist: characteristic function", function(t) cos(t) * exp(-t^1.5), 0, Inf),
  list("fBasics: NIG moment generating",
       function(x) besselK(sqrt(1 + x^2), 1) / sqrt(1 + x^2) * exp(0.3 * x), -30, 30),
  list("ghyp: mixture", function(w) dnorm(0.5, 0.2 * w, sqrt(w)) * dgamma(w, 1.5, 1.5), 0, Inf),
  list("Black-Scholes average", function(v) { d <- (log(1.1) + v^2 / 2) / v; pnorm(d) * dlnorm(v, -1.6, 0.3) }, 0, 3),
  list("Bates: truncated normal mean", function(x) x * dnorm(x) / (pnorm(2) - pnorm(-1)), -1, 2),
  list("truncnorm ?etruncnorm", function(x, a = 0.5) if (a > 0) x * dnorm(x, 1, 2) else 0, 0.5, 4),
  list("BayesFactor ?ttest: JZS prior *", function(g) (1 + 20 * g)^-0.5 * (1 + 4 / ((1 + 20 * g) * 19))^-10 *
         dgamma(1 / g, 0.5, 0.5) / g^2, 0, Inf),
  list("BayesFactor: Cauchy prior of the effect *", function(d) dt(2.2, 30, ncp = d * 4) * dcauchy(d, 0, 0.707),
       -3, 5),
  list("MBESS: noncentral F", function(f) df(f, 3, 20, ncp = 4) * f, 0, 30),
  list("pwr: power averaged",
       function(d) pt(qt(0.975, 18), 18, d * 2.2, lower.tail = FALSE) * dnorm(d, 0.5, 0.2), -1, 2),
  list("gsDesign: conditional power",
       function(z) pnorm((z - 1.96 * sqrt(2)) / 1, lower.tail = TRUE) * dnorm(z, 1), -5, 8),
  list("PearsonDS ?dpearsonIV", function(x) (1 + x^2)^-2.5 * exp(-0.7 * atan(x)), -Inf, Inf),
  list("circular ?dwrappedcauchy", function(a) (1 - 0.25) / (2 * pi * (1.25 - cos(a))), 0, 2 * pi),
  list("spatstat ?Kest: pair correlation", function(r) 2 * pi * r * (1 + exp(-r^2 / 0.5)), 0, 2),
  list("geoR: Matern by its spectrum", function(w) besselJ(w * 0.7, 0) * w * (1 + w^2)^-2.5, 0, 200),
  list("gstat: spherical variogram mean", function(h) ifelse(h < 1, 1.5 * h - 0.5 * h^3, 1), 0, 2),
  list("Distance ?ds: detection", function(x) 1 - exp(-(x / 2)^-3), 1e-9, 5),
  list("Rdistance: half-normal with expansion *", function(x) exp(-x^2 / 8) * (1 + 0.2 * cos(2 * pi * x / 6)), 0, 6),
  list("secr ?detectfn", function(r) 2 * pi * r * (1 - (1 - 0.3 * exp(-r^2 / 2))^5), 0, 10),
  list("PK, nlme ?SSfol: area under the curve", function(t) 2 * (exp(-0.2 * t) - exp(-1.1 * t)), 0, 24),
  list("deSolve-like steps", function(t) { s <- numeric(length(t)); s[t > 2] <- 1; s * exp(-t) }, 0, 8),
  list("kernlab / np: Epanechnikov", function(u) kernel(u)^2, -1, 1),
  list("np: convolution of kernels", function(u) kernel(u) * kernel(u - 0.4), -1, 1.4),
  list("KernSmooth: bandwidth functional", function(x) ((x^2 - 1) * dnorm(x))^2, -Inf, Inf),
  list("logspline-like density by pmax", function(x) pmax(0, 1 - abs(x))^2, -1, 1),
  list("EnvStats: Shapiro-Francia scores", function(p) qnorm(p)^2, 0, 1),
  list("lmomco: L-moment of a quantile function", function(u) (qgamma(u, 2) * (2 * u - 1)), 0, 1),
  list("lmomco: L-kurtosis of a beta", function(u) qbeta(u, 2, 3) * (20 * u^3 - 30 * u^2 + 12 * u - 1), 0, 1),
  list("ineq: Lorenz curve of a lognormal", function(p) pnorm(qnorm(p) - 0.5), 0, 1),
  list("StackOverflow: arguments by do.call", function(x) do.call(dgamma, list(x, shape = 2)), 0, Inf),
  list("StackOverflow: double integral",
       function(x) sapply(x, function(a) integrate(function(b) exp(-a * b), 0, 1)$value),
       0, 3),
  list("StackOverflow: polynomial in a loop",
       function(x) { s <- 0; for (k in 0:6) s <- s + (-x)^k / factorial(k); s }, 0, 2),
  list("StackOverflow: while", function(x) sapply(x, function(u) { while (u > 1) u <- u - 1; u }), 0, 2.5))

verbose <- length(commandArgs(TRUE)) > 0
right <- translated <- logical(length(cases))
for (k in seq_along(cases)) {
  case <- cases[[k]]
  f <- case[[2]]
  truth <- tryCatch(integrate(f, case[[3]], case[[4]], rel.tol = 1e-9, abs.tol = 1e-12, subdivisions = 2000),
                    error = function(e) tryCatch(
                      integrate(Vectorize(f), case[[3]], case[[4]], rel.tol = 1e-9, abs.tol = 1e-12,
                                subdivisions = 2000), error = function(e) list(value = NA, abs.error = NA)))
  why <- ""
  found <- tryCatch(withCallingHandlers(
    integrategpu(f, case[[3]], case[[4]], rel.tol = 1e-9, abs.tol = 1e-12, stop.on.error = FALSE),
    statcl_message_translation = function(m) { why <<- conditionMessage(m); invokeRestart("muffleMessage") }),
    error = function(e) list(value = NA, code = conditionMessage(e)))
  translated[k] <- why == ""
  off <- abs(found$value - truth$value)
  right[k] <- isTRUE(off <= 1e-7 * max(abs(truth$value), 1e-5) + truth$abs.error)
  if (verbose && (!right[k] || !translated[k]))
    cat(sprintf("%3d %-45s %.10g %.10g %s %s", k, case[[1]], found$value, truth$value, found$code, why), "\n")
}
cat(length(cases), "integrands:", sum(right), "with the value of integrate(),", sum(translated), "translated\n")
