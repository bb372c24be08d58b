# Does gpFit() find the largest likelihood of real data? Of 42 data sets of other packages, exponential, spherical,
# Gaussian and Matern models with and without anisotropy, by ML and REML: against single climbs from many random
# starts, and with the range held at points from a tenth of the shortest to ten times the longest distance, each from
# the end of the one before, from the shortest on and back. Climbs to stripes where the likelihood is infinite do not
# count (off_spikes() in R/gp-highest.R). Fits that are more than 1e-4 below are printed, and a line for each set.
#   Rscript bench/gp-fit-real.R [STARTS [PATTERN [FOLDER [LIBRARY [MODELS]]]]]
# PATTERN is of names of sets. Packages that are not installed may lie in FOLDER as their source packages, unpacked.
# The processor time is beside that of the statcl in LIBRARY, whose fits are done beside ours, in turn; "" is none.
# MODELS is a pattern of what is fitted: "spherical turned" are spherical models with anisotropy.
library(statcl)
argument <- commandArgs(trailingOnly = TRUE)
starts <- if (length(argument)) as.integer(argument[1]) else 30L
pattern <- if (length(argument) > 1) argument[2] else "."
folder <- if (length(argument) > 2) argument[3] else ""
other <- if (length(argument) > 3) argument[4] else ""
wanted <- if (length(argument) > 4) argument[5] else "."
options(statcl.threads = 1)

object <- function(package, file, name = file) {
  own <- new.env()
  path <- file.path(folder, package, "data", paste0(file, ".rda"))
  if (file.exists(path)) load(path, own) else utils::data(list = file, package = package, envir = own)
  own[[name]]
}
table_of <- function(package, file) {
  path <- file.path(folder, package, "data", paste0(file, ".dat.tab.gz"))
  if (file.exists(path)) return(utils::read.table(path, header = TRUE))
  object(package, paste0(file, ".dat"))
}
flat <- function(x) { # of package sf
  xy <- matrix(unlist(lapply(x$geometry, function(g) as.numeric(unlist(g))[1:2])), ncol = 2, byrow = TRUE)
  data.frame(unclass(x)[setdiff(names(x), c("geometry", "geom"))], x = xy[, 1], y = xy[, 2])
}
geodata <- function(name, file = name, column = 1L)
  with(object("geoR", file, name), data.frame(x = coords[, 1], y = coords[, 2], z = as.matrix(data)[, column]))
plane <- function(x, y, z, ...) data.frame(x = x, y = y, z = z, ...)

sets <- list(
  caribou = function() plane(object("spmodel", "caribou")$x, object("spmodel", "caribou")$y,
                             object("spmodel", "caribou")$z),
  caribou_terms = function() as.data.frame(object("spmodel", "caribou")),
  sulfate = function() transform(flat(object("spmodel", "sulfate")), z = sulfate),
  moose = function() transform(flat(object("spmodel", "moose")), z = sqrt(count)),
  lake = function() transform(flat(object("spmodel", "lake")), z = log_cond),
  moss = function() transform(flat(object("spmodel", "moss")), z = log_Zn),
  Ksat = function() transform(geodata("Ksat"), z = log(z)),
  sic100 = function() geodata("sic.100", "SIC"),
  ca20 = function() geodata("ca20"),
  magnesium = function() with(object("geoR", "camg"), plane(east, north, mg020)),
  elevation = function() geodata("elevation"),
  head = function() geodata("head"),
  hoef = function() with(object("geoR", "hoef"), plane(x1, x2, dat)),
  kattegat = function() geodata("kattegat"),
  landim = function() with(object("geoR", "landim1"), plane(EW, NS, A)),
  parana = function() geodata("parana"),
  rongelap = function() transform(geodata("rongelap"), z = log(z / object("geoR", "rongelap")$units.m)),
  s100 = function() geodata("s100"),
  s121 = function() geodata("s121"),
  s256i = function() geodata("s256i"),
  soil = function() with(object("geoR", "soil250"), plane(Linha, Coluna, pHAgua)),
  soja = function() with(object("geoR", "soja98"), plane(X, Y, PROD)),
  tce = function() transform(geodata("tce"), z = log(z)),
  wolfcamp = function() geodata("wolfcamp"),
  wrc = function() with(object("geoR", "wrc"), plane(CoordX, CoordY, Densidade)),
  columbus = function() with(object("spData", "columbus"), plane(X, Y, CRIME)),
  baltimore = function() with(object("spData", "baltimore"), plane(X, Y, log(PRICE))),
  afcon = function() with(object("spData", "afcon"), plane(x, y, log(totcon))),
  sids = function() with(object("spData", "nc.sids"), plane(x, y, sqrt(1000 * SID74 / BIR74))),
  getis = function() with(object("spData", "getisord", "go_xyz"), plane(x, y, val)),
  auckland = function() with(object("spData", "auckland"), plane(Easting, Northing, sqrt(Deaths.1977.85))),
  chicago = function() with(object("fields", "ChicagoO3"), plane(x[, 1], x[, 2], y)),
  ozone = function() {
    x <- object("fields", "ozone2")
    z <- x$y[16, ]
    plane(x$lon.lat[, 1], x$lon.lat[, 2], z)[!is.na(z), ]
  },
  colorado = function() with(list(x = object("fields", "COmonthlyMet", "CO.loc"),
                                  z = object("fields", "COmonthlyMet", "CO.tmin.MAM.climate")),
                             plane(x$lon, x$lat, z)[!is.na(z), ]),
  forest = function() with(table_of("spBayes", "FBC07"), plane(coord.X, coord.Y, Y.1)),
  newyork = function() with(table_of("spBayes", "NYOzone"), plane(X.UTM, Y.UTM, O3.8HRMAX.1)),
  temperature = function() with(table_of("spBayes", "NETemp"), plane(UTMX, UTMY, y.1)),
  meuse = function() with(object("sp", "meuse"), plane(x, y, log(zinc))),
  jura = function() with(object("gstat", "jura", "jura.pred"), plane(Xloc, Yloc, Co)),
  coalash = function() with(object("gstat", "coalash"), plane(x, y, coalash)),
  oxford = function() with(object("gstat", "oxford"), plane(XCOORD, YCOORD, PH1)),
  topo = function() object("MASS", "topo"))
terms <- list(caribou_terms = z ~ water + tarp)
sets <- sets[grepl(pattern, names(sets))]

fitted <- function(...) tryCatch(suppressMessages(suppressWarnings(gpFit(...))), error = function(e) NULL)
value <- function(fit) if (is.null(fit)) -Inf else as.numeric(logLik(fit))

processor <- function(expr) sum(system.time(expr)[c(1, 2)])

random_start <- function(case, variance, lengths) {
  share <- plogis(rnorm(1, 0, 2))
  c(variance = variance * (1 - share), range = exp(runif(1, log(lengths[1] / 10), log(10 * lengths[2]))),
    nugget = variance * share, if (case$model == "matern") c(smoothness = exp(runif(1, log(0.1), log(10)))),
    if (case$turned) c(angle = runif(1, -90, 90), ratio = runif(1, 0.05, 0.9)))
}

# A function of where a climb begins, and of the range if that is held: the likelihood at its end, and the parameters.
climber <- function(fit) {
  own <- asNamespace("statcl")
  lik <- own$likelihood_of(fit)
  about <- lik$search()
  scales <- c(own$gp_scales(about$problem, about$data), list(began = proc.time(), penalty = FALSE))
  rows <- about$rows
  free <- about$task$searched
  ties <- own$tied_pairs(about)
  function(v, range = NULL) {
    if (!is.null(range)) v[["range"]] <- range
    v <- replace(rows$value, match(free, rows$name), v[free])
    s <- own$search_space(about, setdiff(free, if (!is.null(range)) "range"), scales, v)
    if (!s$reference) stop("the variance is not profiled out")
    from <- own$search_start(own$off_bounds(v, s), s)
    found <- own$search_climb(from, s, lik, tolerance = 1e-6)
    spike <- length(ties$across) && (own$on_spike(found$v, s, ties) || !found$converged && own$is_striped(found$v, s))
    if (!is.finite(found$value) || spike) return(list(value = -Inf))
    sill <- rows$kind == "sill"
    found$v[sill] <- found$v[sill] * found$scale
    list(value = found$value, natural = stats::setNames(found$v, rows$name))
  }
}

# The same fits in another process, by the package of another library: NA where there is none.
elsewhere <- if (nzchar(other)) {
  script <- tempfile(fileext = ".R")
  writeLines(c("library(statcl)", "options(statcl.threads = 1)", "input <- readRDS(commandArgs(TRUE)[1])",
               "invisible(try(suppressWarnings(do.call(gpFit, input[[1]])), silent = TRUE))",
               "fitted <- function(a)",
               "  tryCatch(suppressWarnings(do.call(gpFit, a)), error = function(e) list(loglik = NA))",
               "one <- function(a) complex(1, sum(system.time(fit <- fitted(a))[1:2]), fit$loglik)",
               "took <- vapply(input, one, 0i)",
               "saveRDS(took, commandArgs(TRUE)[2])"), script)
  function(calls) {
    files <- tempfile(c("input", "output"))
    saveRDS(calls, files[1])
    system2(file.path(R.home("bin"), "Rscript"), c(script, files), env = paste0("R_LIBS=", other))
    readRDS(files[2])
  }
} else function(calls) rep(NA_complex_, length(calls))

models <- c("exponential", "spherical", "gaussian", "matern")
total <- data.frame()
for (name in names(sets)) {
  data <- tryCatch(suppressWarnings(sets[[name]]()), error = function(e) NULL)
  if (is.null(data) || !nrow(data)) {
    cat(name, "is not there\n")
    next
  }
  data <- data[is.finite(data$z), ]
  if (nrow(data) > 500) data <- data[round(seq(1, nrow(data), length.out = 500)), ]
  formula <- if (is.null(terms[[name]])) z ~ 1 else terms[[name]]
  d <- dist(data[c("x", "y")])
  lengths <- range(d[d > 0])
  cases <- expand.grid(model = models, turned = c(FALSE, TRUE), estimator = c("ML", "REML"), stringsAsFactors = FALSE)
  cases <- cases[grepl(wanted, paste0(cases$model, ifelse(cases$turned, " turned", ""))), ]
  calls <- lapply(seq_len(nrow(cases)), function(i) {
    cov <- do.call(covModel, c(list(cases$model[i], distance = "euclidean", range = NA, variance = NA, nugget = NA),
                               if (cases$model[i] == "matern") list(smoothness = NA),
                               if (cases$turned[i]) list(angle = NA, ratio = NA)))
    list(formula, data, ~ x + y, cov, estimator = cases$estimator[i])
  })
  before <- elsewhere(calls)
  invisible(do.call(fitted, calls[[1]]))
  for (i in seq_len(nrow(cases))) {
    set.seed(1)
    took <- processor(fit <- do.call(fitted, calls[[i]]))
    best <- -Inf
    how <- ""
    climb <- climber(fit)
    note <- function(found, what) if (found$value > best) {
      best <<- found$value
      how <<- paste(what, paste(signif(found$natural, 4), collapse = " "))
    }
    for (k in seq_len(starts)) note(climb(random_start(cases[i, ], var(data$z), lengths)), "start")
    if (starts) for (points in list(1:15, 15:1)) {
      at <- random_start(cases[i, ], var(data$z), lengths)
      for (range in exp(seq(log(lengths[1] / 10), log(10 * lengths[2]), length.out = 15)[points])) {
        found <- climb(at, range)
        note(found, "profile")
        if (is.finite(found$value)) at <- found$natural
      }
    }
    row <- data.frame(set = name, n = nrow(data), cases[i, ], found = value(fit), gap = best - value(fit),
                      seconds = took, before = Re(before[i]), lower = Im(before[i]) - value(fit), how = how)
    total <- rbind(total, row)
    if (row$gap > 1e-4)
      cat(sprintf("%s n %d %s%s %s: %.6f, %.5g higher by %s; found %s\n", name, row$n, row$model,
                  if (row$turned) " turned" else "", row$estimator, row$found, row$gap, how,
                  paste(signif(fit$parameters$estimate[fit$parameters$component != "mean"], 4), collapse = " ")))
    if (isTRUE(row$lower > 1e-6))
      cat(sprintf("%s n %d %s%s %s: %.6f, %.5g lower than before\n", name, row$n, row$model,
                  if (row$turned) " turned" else "", row$estimator, row$found, row$lower))
  }
  own <- total[total$set == name, ]
  cat(sprintf("%-14s n %3d: %2d of %d below, largest gap %.3g; median %.3g s, longest %.3g s, all %.3g times\n", name,
              own$n[1], sum(own$gap > 1e-4), nrow(own), max(own$gap), median(own$seconds), max(own$seconds),
              sum(own$seconds) / sum(own$before)))
}
cat(sprintf(paste("%d of %d fits of %d sets below the best by more than 1e-4, %d lower than those of LIBRARY by more",
                  "than 1e-6, %d higher by 1e-4; processor time %.1f s, of LIBRARY %.1f s\n"),
            sum(total$gap > 1e-4), nrow(total), length(unique(total$set)), sum(total$lower > 1e-6, na.rm = TRUE),
            sum(total$lower < -1e-4, na.rm = TRUE), sum(total$seconds), sum(total$before)))
