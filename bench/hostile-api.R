# Hostile calls to all exports and all methods: one or two arguments are what no one means (functions, formulas, S4
# objects, environments, lists, invalid text, factors, dates, units, other classes, sizes of 0 and beyond integers),
# or one is missing, or unknown. Every error and warning must be the package's own, or what R says of any function: of
# unused and missing arguments of d/p/q functions, of objects without a method, of memory. What else is said is
# counted by kind, as are calls that crash, and calls that do not end.
#   Rscript bench/hostile-api.R [calls [seed [device]]]
# Calls are made by other processes, 1000 in each, as one may crash.
source("bench/guarded.R")
source("tests/testthat/helper-objects.R")
if (!length(argument)) calls <- 2e4
device <- if (length(argument) > 2) argument[3] else "cpu"
seed <- if (length(argument) > 1) as.integer(argument[2]) else 1L
batch <- 1000
seconds <- 60 # of processor time, after which a call is ended

objects <- usual <- needs <- known <- values <- registered <- NULL # of a batch

# ---- what is given ----

setClass("slotted", representation(a = "numeric"))
classed <- function(x, class, ...) structure(x, ..., class = class)
own_stop <- function() stop(classed(list(message = "mine", call = NULL), c("hostile", "error", "condition")))
table_of <- function(..., rows = 1:3) structure(list(...), class = "data.frame", row.names = rows)
hostile <- function() c(
  list(NULL, NA, NA_integer_, NA_real_, NA_character_, NaN, Inf, -Inf, 0, -0.0, -1, 0.5, 1.5, 7, 1e308, -1e308,
       5e-324, 2^31, 2^53, -1e10, .Machine$integer.max, -.Machine$integer.max),
  list(1:3, -1:1, c(1, NA), c(1, Inf, NaN), c(0, 0), c(a = 1, b = 2), c(a = 1, a = 2), seq(5, -5, length.out = 17),
       stats::setNames(1:3, c("a", NA, "")), rep(1, 1000), numeric(0), integer(0), c(alpha = 1.2, beta = 0),
       c(1.5, 0, 1, 0)),
  list("a", "", "NA", c("a", "b"), character(0), strrep("x", 1e5), "\xe9\xff", "mean", "all", noquote("a"), "gpu:7"),
  list(TRUE, FALSE, logical(0), c(TRUE, NA), 1i, as.raw(0:2)),
  list(list(), list(1, 2), list(a = 1, b = "q"), list(NULL), list(alpha = 1.5), list(alpha = NA), list(alpha = "x"),
       list(a = list(1)), list(alpha = 1, alpha = 2), list(range = 1, nugget = -1), pairlist(1, a = 2)),
  list(factor("a"), factor(c("1", "2", NA)), ordered(1:3), as.Date("2020-01-01"), as.Date(NA), Sys.time(),
       as.POSIXlt("2020-01-01"), as.difftime(1, units = "mins"), package_version("1.0"), table(c(1, 2, 2)),
       stats::ts(1:5), I(1), as.hexmode(3), classed(3, "units", units = "m"), classed(1, "foo")),
  list(quote(x), quote(x + 1), quote(f(x)(y)), expression(x), y ~ u, ~ x, ~ a:b, ~ log("a"), y ~ zz, ~ 1, ~ .),
  list(function(x) x, function(...) own_stop(), function() 1, function(x) "a", function(x, y) NULL, sum, `if`,
       identity),
  list(data.frame(), data.frame(a = 1:3), data.frame(x = numeric(0)), data.frame(a = letters[1:3]),
       data.frame(x = c(1, NA)), table_of(1, 2, rows = 1:2), table_of(a = 1:3, a = 3:1), matrix(numeric(0), 0, 0),
       matrix(0, 0, 2), matrix(1:4, 2), matrix(NA_real_, 3, 2), matrix(Inf, 3, 2), matrix("a", 2, 2),
       array(1:8, c(2, 2, 2)), structure(1:6, dim = 6L), diag(2)),
  list(globalenv(), new.env(), new("slotted", a = 1), classed(new.env(), c("Thing", "R6")),
       methods::getGeneric("show"), classed(list(), "covModel"), classed(list(a = 1), "stableFit"),
       classed(1:4, "rfield"), classed(list(), "rfGrid"), classed(list(), "gpFit")),
  unlist(objects, FALSE))

# Arguments of usual calls to exports, of which some are replaced.
make_usual <- function() with(objects, {
  model <- covModel[[2]]
  field <- rfield[[1]]
  c(list(
    dstable = list(x = 0.3, alpha = 1.5, beta = 0.2), pstable = list(q = 0.3, alpha = 1.5, beta = 0.2),
    qstable = list(p = 0.3, alpha = 1.5, beta = 0.2), dpstable = list(x = 0.3, alpha = 1.5, beta = 0.2),
    rstable = list(n = 5, alpha = 1.5, beta = 0.2), esstable = list(p = 0.05, alpha = 1.5, beta = 0.2),
    stableMode = list(alpha = 1.5, beta = 0.2), stableConvert = list(alpha = 1.5, beta = 0.2, from = 0, to = 1),
    stableStart = list(x = sample), stableFit = list(x = sample, method = "mcculloch"),
    stableFit = list(x = sample[1:30]), stableFit = list(x = cbind(sample, -sample), method = "ecf"),
    stableRoll = list(x = sample, width = 30, step = 10, method = "mcculloch"),
    stableReg = list(formula = y ~ u, data = data), stableTest = list(object = stableFit[[2]], nsim = 3),
    distribution = list(object = stableFit[[1]]), stableScore = list(x = 0.3, alpha = 1.5, beta = 0.2),
    stableGarch = list(x = stableGarch[[1]]$x[1:80], innovations = "t"),
    stableGarch = list(x = cbind(sample, -sample), innovations = "normal", power = 2),
    backtest = list(object = stableGarch[[1]], n = 30, every = 30, nsim = 10),
    besselKgpu = list(x = 1.5, nu = 0.3), besselKgpu = list(x = 1.5, nu = 0.3, method = "takekawa"),
    dpoisgpu = list(x = 2, lambda = 3), ppoisgpu = list(q = 2, lambda = 3), qpoisgpu = list(p = 0.3, lambda = 3),
    rpoisgpu = list(n = 5, lambda = 3)),
  list(
    matern = list(x = points, range = 1, smoothness = 1.5), matern = list(x = 1:3, range = 1, smoothness = 1.5),
    covModel = list(name = "matern", range = 1, smoothness = 1.5),
    covModel = list(name = "cauchy", range = 1, shape = 0.7),
    covModel = list(name = "powerlaw", exponent = -2, kmin = 0.1, kmax = 10),
    covModel = list(name = "covariance", dim = 2, covariance = function(h) exp(-h)),
    covModel = list(name = "spectrum", density = function(k) exp(-k), dim = 2),
    covModel = list(name = "separable", space = model, time = model),
    covModel = list(name = "bimatern", range = c(1, 1, 1), smoothness = c(1, 1, 1), variance = c(1, 1),
                    correlation = 0.3),
    covariance = list(model = covModel[[1]], x = points), covariance = list(model = model, x = c(0, 1, 2)),
    lineCovariance = list(model = model, r = c(0, 1)), spectralDensity = list(model = model, k = c(0.1, 1)),
    as.vgm = list(object = model),
    gpFit = list(formula = z ~ px, data = places, coords = ~ px + py, cov = "exponential", fixed = list(range = 0.2)),
    gpFit = list(formula = count ~ 1, data = places[1:15, ], coords = ~ px + py, cov = model, fixed = TRUE,
                 family = "poisson"),
    gpLoglik = list(model = model, x = points, y = sample[1:12]),
    gpScores = list(y = sample, mean = 0 * sample, sd = 1),
    gpMLOE = list(true = model, approximate = covModel[[1]], x = points, newdata = points + 0.01),
    gpCV = list(fit = gpFit[[1]], k = 3), varcomp = list(object = gpFit[[1]])),
  list(
    tbrf = list(x = points, model = model, nlines = 20), tbrf = list(x = rfGrid[[1]], model = model, method = "fft"),
    tbrf = list(x = points, model = model, nlines = 20, method = "table"),
    tbrfError = list(model = model, nlines = 20, nfields = 4, dim = 2),
    rfGrid = list(origin = 0, spacing = 1, dims = c(3, 3)), rfVector = list(model = model),
    rfCovariance = list(field = field, to = 3),
    rfCovariance = list(field = as.numeric(rfield[[2]])[1:12], model = model, x = points, pairs = 50),
    rfVariogram = list(field = field, to = 3), rfSpectrum = list(field = field), rfSummary = list(x = rfield[[2]]),
    rfTransform = list(x = field, fun = exp), rfOpen = list(file = rfFile[[1]]$file), rfCurl = list(x = field),
    rfDivergence = list(x = field), rfGradient = list(x = field)),
  list(
    integrategpu = list(f = ~ exp(-a * x^2), lower = 0, upper = 1, params = data.frame(a = 1:3)),
    integrategpu = list(f = function(x, a) exp(-a * x^2), lower = 0, upper = 1, params = data.frame(a = 1:3),
                        rel.tol = 1e-8),
    integrategpu = list(f = function(x) exp(-x^2), lower = 0, upper = Inf),
    integrategpu = list(f = ~ exp(-x^2), lower = 0, upper = 1, rel.tol = 1e-4, method = "pbcaqr",
                        region = c(blocks = 16L, threads = 16L)),
    integrategpu = list(f = function(x, y) x * y, lower = list(0, 0), upper = list(1, 1)),
    useDevice = list(devices = "cpu"), withDevice = list(device = "cpu", expr = 1),
    withPrecision = list(precision = "double", expr = 1), withCluster = list(cl = NULL, expr = 1),
    clProfile = list(expr = 1), clDevices = list(), clCacheClear = list(), clWarm = list(), clSitrep = list()))
})

# What methods need besides their object, which is the first argument.
make_needs <- function() with(objects, {
  i <- list(i = 1)
  both <- list(i = 1, j = 1)
  at <- list(newdata = points)
  list(
    predict.rfFile = at, predict.rfRecipe = at, predict.rfield = at, predict.rfValues = at,
    simulate.covModel = list(x = points), covariance.covModel = list(x = points),
    covariance.rfRecipe = list(x = points), lineCovariance.covModel = list(r = 1:2),
    spectralDensity.covModel = list(k = 1:2), "[[.stableFits" = i, "[.stableFits" = i, "[.integrals" = i,
    "[.gpCV" = i, "[.covFile" = both, "[.rfFile" = both, "[.rfield" = both,
    "[<-.rfield" = c(both, value = 1), "[<-.rfFile" = c(both, value = 1), "[[<-.rfield" = c(i, value = 1),
    "[.stableGarchs" = i,
    "$.stableFits" = list(), Ops.covModel = list(e2 = 2), Ops.rfield = list(e2 = 2),
    anova.statclFit = list(b = stableReg[[1]]), anova.stableFits = list(b = stableFits[[1]]),
    profile.stableFits = list(which = 1, points = 3), confint.statclFit = list(parm = 1, method = "wald"),
    profile.statclFit = list(which = 1, points = 3), plot.gpFit = list(which = 1, n = 5),
    update.covModel = list(range = 3), plot.covModel = list(n = 11), lines.covModel = list(n = 11),
    autoplot.covModel = list(n = 11))
})

# ---- what may be said ----

base_says <- c("^unused argument", "^formal argument .* matched by multiple", "^[0-9]+ arguments? passed to",
               "^no applicable method for", "cannot allocate", "is not a graphical parameter$")
index_says <- c("subscript", "^attempt to select", "undefined columns", "incorrect number of dimensions",
                "number of items to replace", "replacement has", "invalid (negative|first) ", "recursive indexing",
                "other than 'exact' are discouraged", "^no 'dimnames' attribute", "^incompatible types",
                "^NAs introduced by coercion", "vector is too large", "\"units\" objects",
                "^no such index")
ops_says <- c("^Incompatible methods", "^non-numeric argument to", "^non-conformable", "possible only for",
              "not meaningful", "not defined for", "cannot be coerced", "^longer object length", "units",
              "not implemented$", "^dims .* do not match", "^time-series/")
law_says <- c("Non-numeric argument to mathematical function", "^NaNs produced$", "^NAs produced$",
              "^non-integer x = ", "^argument \"[A-Za-z.]+\" is missing, with no default$", "^invalid arguments$",
              # of flags
              "^imaginary parts discarded", "^unimplemented type", "^invalid multibyte string",
              "^NAs introduced by coercion")
is_law <- function(f)
  grepl("^([dpqr]|dp)(stable|poisgpu)$|^esstable$|^stable(Mode|Score|Convert)$|^besselKgpu$", f)
is_own <- function(w, f) {
  says <- c(base_says, if (is_law(f)) law_says, if (grepl("^[[$]", f)) index_says,
            if (grepl("^(Ops|Math)", f)) ops_says)
  inherits(w, "hostile") || any(startsWith(class(w), "statcl_")) ||
    any(vapply(says, grepl, NA, conditionMessage(w), useBytes = TRUE))
}

# A condition names a function that users know, or none.
is_known <- function(call) {
  if (!is.call(call)) return(TRUE)
  name <- call[[1]]
  if (is.call(name)) name <- name[[length(name)]]
  !is.symbol(name) || as.character(name) %in% known
}

# ---- a batch, in a process of its own ----

pick <- function(x) x[[sample.int(length(x), 1)]]
methods_table <- function() {
  table <- getNamespaceInfo("statcl", "S3methods")
  table <- data.frame(generic = table[, 1], class = table[, 2], method = table[, 3])
  # of other packages, of which the first have nothing but the generic function
  others <- c(tidy = "", glance = "", augment = "", bread = "", estfun = "", autoplot = "ggplot2",
              st_as_stars = "stars")
  table$direct <- table$generic %in% names(others)
  table$package <- ifelse(table$direct, others[table$generic], "")
  there <- vapply(table$package, function(p) !nzchar(p) || requireNamespace(p, quietly = TRUE), NA)
  table[there & table$class %in% names(objects), ]
}

# A call by the name of its function, with its arguments, and which of them are to be replaced.
draw_call <- function() {
  if (runif(1) < 0.6) {
    k <- sample.int(length(usual), 1)
    f <- names(usual)[k]
    return(list(name = f, call = as.name(f), given = usual[[k]], formals = names(formals(f)), first = FALSE,
                by_place = FALSE))
  }
  row <- registered[sample.int(nrow(registered), 1), ]
  given <- c(list(pick(objects[[row$class]])), needs[[row$method]])
  generic <- switch(row$generic, Ops = sample(c("+", "*", "-", "==", "^"), 1),
                    Math = sample(c("exp", "round", "cumsum"), 1), row$generic)
  own <- names(formals(get(row$method, asNamespace("statcl"))))
  by_place <- row$generic %in% c("[", "[[", "[<-", "[[<-", "Ops", "$")
  if (by_place) {
    own <- c(own[1], names(given)[-1])
    names(given) <- ifelse(names(given) %in% "value", "value", "")
    if (row$generic == "$") given[2] <- "alpha"
  } else names(given)[1] <- own[1]
  list(name = row$method, given = given, formals = own, first = TRUE, by_place = by_place,
       call = if (row$direct) call(":::", quote(statcl), as.name(row$method)) else as.name(generic))
}

make_hostile <- function(drawn) {
  given <- drawn$given
  how <- sample(c("one", "two", "missing", "unknown"), 1, prob = c(0.65, 0.2, 0.1, 0.05))
  left <- length(given) - drawn$first # besides the object of a method
  if (how == "missing" && left > 0 && !drawn$by_place) given <- given[-drawn$first - sample.int(left, 1)]
  else if (how == "unknown") given <- c(given, list(zzz = pick(values)))
  else {
    pool <- if (drawn$by_place) seq_along(given) else setdiff(drawn$formals, "...")
    pool <- pool[if (drawn$first) -1 else TRUE]
    for (a in pool[sample.int(length(pool), min(length(pool), 1 + (how == "two")))]) given[a] <- list(pick(values))
  }
  names <- if (is.null(names(given))) rep("", length(given)) else names(given)
  # variables of the workspace, as users have them
  label <- ifelse(nzchar(names), paste0("given_", names), paste0("given_", seq_along(names)))
  for (k in seq_along(given)) assign(label[k], given[[k]], globalenv())
  list(name = drawn$name, given = given,
       call = as.call(c(list(drawn$call), stats::setNames(lapply(label, as.name), names))))
}

brief <- function(v) {
  text <- tryCatch(paste(deparse(v, nlines = 2), collapse = " "), error = function(e) class(v)[1])
  substr(iconv(text, "", "ASCII", sub = "?"), 1, 50)
}
described <- function(a)
  paste0(a$name, "(", paste(names(a$given), vapply(a$given, brief, ""), sep = " = ", collapse = ", "), ")")

said <- list()
note <- function(kind, text, a) {
  text <- gsub("[[:space:]]+", " ", iconv(text, "", "ASCII", sub = "?"))
  row <- data.frame(kind = kind, what = substr(text, 1, 200), f = a$name, example = described(a))
  said[[length(said) + 1]] <<- row
}

try_call <- function(a) {
  note_odd <- function(kind, w) {
    if (!is_own(w, a$name)) note(kind, conditionMessage(w), a)
    else if (any(startsWith(class(w), "statcl_")) && !is_known(conditionCall(w)))
      note("internal name", paste(deparse(conditionCall(w)[[1]]), conditionMessage(w)), a)
  }
  if (runif(1) < 0.2) {
    old <- options(OutDec = ",")
    on.exit(options(old))
  }
  setTimeLimit(cpu = seconds, transient = TRUE)
  tryCatch(withCallingHandlers({
    value <- eval(a$call, globalenv())
    whole <- !inherits(value, "rfield") || !is.null(attr(value, "recipe")) # functions of vectors keep attributes
    if (runif(1) < 0.3 && inherits(value, registered$class) && whole && !grepl("^with", a$name)) { # at the prompt
      print(value)
      summary(value)
    }
  }, warning = function(w) {
    note_odd("warning", w)
    invokeRestart("muffleWarning")
  }, message = function(m) invokeRestart("muffleMessage")),
  error = function(e) {
    text <- conditionMessage(e)
    if (length(text) != 1L) note("error", paste(c("several messages:", text), collapse = " | "), a)
    else if (grepl("^reached (CPU|elapsed) time limit", text)) note("slow", "slow", a)
    else note_odd("error", e)
  })
  setTimeLimit()
}

run_batch <- function(n, seed, now, out) {
  suppressMessages(library(statcl))
  setwd(tempdir())
  options(statcl.threads = 1, warn = 1)
  grDevices::pdf(NULL)
  graphics::plot.new() # for lines()
  if (device != "cpu") useDevice(device)
  objects <<- one_of_each()
  usual <<- make_usual()
  needs <<- make_needs()
  known <<- c(getNamespaceExports("statcl"), getNamespaceInfo("statcl", "S3methods")[, 3])
  missed <- setdiff(getNamespaceExports("statcl"), names(usual))
  if (length(missed)) stop("no usual call of ", toString(missed))
  values <<- hostile()
  registered <<- methods_table()
  set.seed(seed)
  sink(file(nullfile(), "w"))
  for (k in seq_len(n)) {
    a <- make_hostile(draw_call())
    writeLines(described(a), now)
    before <- .Random.seed
    try_call(a)
    while (sink.number() > 1) sink()
    useDevice(device)
    rm(list = grep("^given_", ls(globalenv()), value = TRUE), envir = globalenv())
    .Random.seed <<- before # a call may set the seed, or draw
    runif(1)
  }
  sink()
  saveRDS(do.call(rbind, said), out)
}

if (length(argument) == 6) {
  run_batch(calls, seed, argument[5], argument[6])
  quit()
}

# ---- all batches, and what was said ----

now <- tempfile()
out <- tempfile()
cache <- tempfile()
dir.create(cache)
found <- NULL
began <- proc.time()[["elapsed"]]
for (k in seq_len(ceiling(calls / batch))) {
  n <- min(batch, calls - (k - 1) * batch)
  unlink(out)
  command <- sprintf("ulimit -v 12000000; exec Rscript bench/hostile-api.R %d %d %s batch %s %s", n,
                     (seed - 1L) * 10000L + k, device, now, out)
  status <- system2("sh", c("-c", shQuote(command)), env = paste0("R_USER_CACHE_DIR=", cache), timeout = n * 10)
  if (status != 0 || !file.exists(out))
    found <- rbind(found, data.frame(
      kind = if (status == 124) "does not end" else "crash", what = paste("status", status), f = "",
      example = if (file.exists(now)) readLines(now, warn = FALSE)[1] else ""))
  else found <- rbind(found, readRDS(out))
  count("calls", n)
}
slow <- found$kind %in% "slow"
if (length(found)) {
  pattern <- gsub("[0-9]+(\\.[0-9]+)?(e[-+]?[0-9]+)?", "#", found$what)
  kinds <- split(found, list(found$kind, pattern), drop = TRUE)
  for (kind in kinds[order(-vapply(kinds, nrow, 1L))])
    cat(sprintf("%5d %-13s %s\n        %s\n", nrow(kind), kind$kind[1], kind$what[1],
                paste(utils::head(unique(kind$example), 3), collapse = "\n        ")))
  cat(sprintf("%d kinds besides slow calls\n", sum(vapply(kinds, function(k) k$kind[1] != "slow", NA))))
}
count("other_warnings", sum(found$kind %in% "warning"))
count("errors", sum(!slow) - sum(found$kind %in% "warning"))
conclude(proc.time()[["elapsed"]] - began, sprintf("more than %d s: %d calls", seconds, sum(slow)))
