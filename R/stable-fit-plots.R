# Plots of a fitted distribution beside its sample.

#' Plots of a fitted stable distribution
#'
#' Draws four plots of the fit of a stable distribution: its density on the histogram of the data, quantiles and
#' probabilities of the sample against those of the distribution, and both tails on logarithmic axes, where those of a
#' stable distribution become straight lines of slope `-alpha`.
#'
#' All curves are those of [dstable()], [pstable()] and [qstable()] at the estimates. The histogram shows the centre
#' of the sample where the tails reach far beyond it. Quantiles have axes that are linear at the centre of the
#' distribution and logarithmic far from it, and probabilities have logistic axes, so that both tails can be seen.
#'
#' The grey bands contain each point with probability `level` if the distribution is the true one: the i-th of n
#' observations in order has the probability transform Beta(i, n + 1 - i). They are pointwise, and take the estimates
#' for the true parameters. Of more than 5000 observations some at the centre are not drawn.
#'
#' Weights count observations. Censored observations are drawn as open circles, spread evenly over the probability
#' that the fitted distribution gives to their interval; the histogram counts them there.
#'
#' @param x a fit by [stableFit()].
#' @param which the plots to draw, any of `"density"`, `"qq"`, `"pp"` and `"tail"`, or their numbers.
#' @param log if `TRUE`, the density has a logarithmic axis; if `FALSE`, all axes but those of the tails are linear.
#'   By default the density's is linear, and those of quantiles and probabilities are stretched at the tails.
#' @param level probability of the pointwise bands; `NA` for none.
#' @param ask if `TRUE`, ask before each page; by default on an interactive device that has not room for all plots.
#' @param ... further graphical parameters, such as `main` or `col`, for the first call of each plot.
#' @return `x`, invisibly.
#' @examples
#' fit <- stableFit(diff(log(datasets::EuStockMarkets[, "CAC"])))
#' old <- par(mfrow = c(2, 2))
#' plot(fit)
#' par(old)
#' plot(fit, "density", log = TRUE)
#' @importFrom graphics plot
#' @export
plot.stableFit <- function(x, which = c("density", "qq", "pp", "tail"), log = NULL, level = 0.95, ask = NULL,
                           ...) {
  which <- plot_views(which, eval(formals(plot.stableFit)$which))
  views <- fit_views(x, log, level)
  draw_views(which, ask, function(view) draw_picture(views[[view]](), ...))
  invisible(x)
}

#' @rdname autoplot
#' @exportS3Method ggplot2::autoplot
autoplot.stableFit <- function(object, which = c("density", "qq", "pp", "tail"), log = NULL, level = 0.95, ...) {
  warn_extra(...)
  which <- choice("which", which)
  gg_picture(fit_views(object, log, level)[[which]]())
}

# The pictures of a fit, made when they are wanted.
fit_views <- function(fit, log, level) {
  if (!is.null(log)) log <- one_flag("log", log)
  if (!is_one_na(level)) check_level(level)
  sample <- order_sample(fit)
  stretched <- !isFALSE(log)
  list(density = function() density_picture(fit, sample, isTRUE(log)),
       qq = function() qq_picture(fit, sample, stretched, level),
       pp = function() pp_picture(fit, sample, stretched, level), tail = function() tail_picture(fit, sample))
}

# The sample in order, with the probability that lies below each observation, half of its own weight included, and the
# number of observations that this comes from. Censored ones stand where the distribution would put them.
order_sample <- function(fit) {
  x <- fit$x
  w <- if (is.null(fit$weights)) rep(1, length(x)) else fit$weights
  hidden <- censored_rows(fit)
  if (any(hidden)) x[hidden] <- spread_censored(fit, hidden, w)
  in_order(x, w, hidden)
}

in_order <- function(x, w, hidden = logical(length(x))) {
  o <- order(x)
  w <- w[o]
  list(x = x[o], weight = w, rank = (cumsum(w) - w / 2) / sum(w), size = sum(w), hidden = hidden[o])
}

spread_censored <- function(fit, hidden, w) {
  from <- fit$x[hidden]
  to <- fit$censored[hidden]
  w <- w[hidden]
  group <- match(paste(from, to), unique(paste(from, to)))
  share <- stats::ave(w, group, FUN = function(v) (cumsum(v) - v / 2) / sum(v))
  a <- log_tails(fit, from)
  b <- log_tails(fit, to)
  distribution_quantile(fit, log_between(a$lower, b$lower, share), log_between(b$upper, a$upper, 1 - share))
}

# Quantiles of what is observed by the fitted distribution from the logarithms of both tails: from the smaller.
distribution_quantile <- function(fit, lower, upper) {
  if (!is.null(fit$truncation)) {
    low <- lapply(whole_tails(fit, fit$truncation[1L]), rep_len, length(lower))
    high <- lapply(whole_tails(fit, fit$truncation[2L]), rep_len, length(lower))
    lower <- log_between(low$lower, high$lower, exp(lower))
    upper <- log_between(high$upper, low$upper, exp(upper))
  }
  q <- numeric(length(lower))
  below <- lower < upper
  if (any(below)) q[below] <- at_distribution(qstable, lower[below], fit, log.p = TRUE)
  if (any(!below)) q[!below] <- at_distribution(qstable, upper[!below], fit, lower.tail = FALSE, log.p = TRUE)
  q
}

# Logarithms of both tails at the quantile p of the probability transform of an ordered observation.
order_band <- function(rank, size, p) {
  a <- size * rank + 0.5
  b <- size * (1 - rank) + 0.5
  list(lower = log(stats::qbeta(p, a, b)), upper = log(stats::qbeta(p, b, a, lower.tail = FALSE)))
}

# All of few points; the extremes and a selection of the others of many.
shown_points <- function(n) {
  if (n <= 5000L) return(seq_len(n))
  unique(c(seq_len(1000L), round(seq(1001, n - 1000, length.out = 3000L)), seq(n - 999L, n)))
}

# Positions for about seven tick marks on an axis with a monotone scale: multiples of units from the coarsest to finer
# ones, over many decades 0 and powers of ten instead; each where it is not too near those before, so that 0 and the
# roundest numbers come first.
round_ticks <- function(range, scale, inverse) {
  gap <- 0.8 * diff(range) / 7
  along <- inverse(seq(range[1], range[2], length.out = 401))
  along <- along[is.finite(along)]
  top <- log10(max(abs(along), 1e-300))
  ticks <- numeric()
  add <- function(value) {
    value <- unique(value)
    for (v in value[order(abs(value))]) {
      at <- scale(v)
      if (at >= range[1] && at <= range[2] && all(abs(at - scale(ticks)) >= gap)) ticks <<- c(ticks, v)
    }
  }
  if (top > 6 + log10(max(stats::median(abs(along)), 1e-300))) {
    power <- round(log10(abs(along)))
    add(0)
    for (step in c(100, 50, 20, 10, 5, 2, 1)) add((sign(along) * 10^power)[power %% step == 0])
    return(sort(ticks))
  }
  units <- 10^(ceiling(top) - rep(0:17, each = 3)) * c(1, 0.5, 0.2)
  # 1, 2 and 5 times powers of ten, and others where these are too few, as far from 0
  for (unit in units) {
    value <- round(along / unit) * unit
    add(value[signif(abs(value) / 10^floor(log10(abs(value))), 6) %in% c(1, 2, 5) | value == 0])
  }
  for (unit in units) if (length(ticks) < 5L) add(round(along / unit) * unit)
  sort(ticks)
}

# Those of a stretched axis with their text.
scaled_ticks <- function(scale, inverse) function(range) {
  tick <- round_ticks(range, scale, inverse)
  list(at = scale(tick), text = vapply(tick, format, "", digits = 4))
}

both_axes <- function(ticks) list(x = ticks, y = ticks)

# Some of the points, their pointwise band and the diagonal; scale: from the logarithms of both tails to an axis.
points_layers <- function(sample, shown, x, y, level, scale) {
  ends <- if (!is.na(level)) lapply(c(1 - level, 1 + level) / 2, function(p) {
    tails <- order_band(sample$rank[shown], sample$size, p)
    scale(tails$lower, tails$upper)
  })
  list(if (length(ends)) mark("band", data.frame(x = x, low = ends[[1L]], high = ends[[2L]]), plot_colours[["band"]]),
       mark("diagonal", colour = plot_colours[["fit"]]),
       mark("points", data.frame(x = x, y = y, censored = sample$hidden[shown]), plot_colours[["sample"]]))
}

qq_picture <- function(fit, sample, stretched, level,
                       labels = c("quantiles of the fitted distribution", "quantiles of the sample")) {
  i <- shown_points(length(sample$x))
  scale <- identity
  if (stretched) {
    quartile <- distribution_quantile(fit, log(c(0.25, 0.5, 0.75)), log(c(0.75, 0.5, 0.25)))
    unit <- (quartile[3] - quartile[1]) / 2
    scale <- function(v) asinh((v - quartile[2]) / unit)
    inverse <- function(t) quartile[2] + unit * sinh(t)
  }
  place <- function(lower, upper) scale(distribution_quantile(fit, lower, upper))
  x <- place(log(sample$rank[i]), log1p(-sample$rank[i]))
  y <- scale(sample$x[i])
  picture("Quantiles", labels[1L], labels[2L], points_layers(sample, i, x, y, level, place), range(x), range(x, y),
          ticks = if (stretched) both_axes(scaled_ticks(scale, inverse)))
}

pp_picture <- function(fit, sample, stretched, level,
                       labels = c("probability in the sample", "probability by the fitted distribution")) {
  i <- shown_points(length(sample$x))
  scale <- if (stretched) function(lower, upper) lower - upper else function(lower, upper) exp(lower)
  tails <- log_tails(fit, sample$x[i])
  x <- scale(log(sample$rank[i]), log1p(-sample$rank[i]))
  y <- scale(tails$lower, tails$upper)
  layers <- points_layers(sample, i, x, y, level, scale)
  band <- layers[[1L]]$data
  picture("Probabilities", labels[1L], labels[2L], layers, if (stretched) range(x) else c(0, 1),
          if (stretched) range(y[is.finite(y)], x, band$low, band$high) else c(0, 1),
          ticks = if (stretched) both_axes(probability_ticks),
          # horizontal ones would reach the title of the vertical axis
          las = if (stretched) 0, gap = 0.5)
}

probability_ticks <- function(range) {
  end <- max(2, ceiling(max(abs(range)) / log(10)))
  small <- 10^-(seq_len(end)[if (end > 8) seq_len(end) %% ceiling(end / 4) == 0 else TRUE])
  small <- c(rev(small), if (end <= 2) 0.25)
  list(at = c(stats::qlogis(small), 0, -stats::qlogis(rev(small))), text = c(format_each(small), "0.5",
    vapply(rev(small), function(p) if (p >= 1e-4) format(1 - p, digits = 6) else paste("1 -", format(p)), "")))
}

format_each <- function(v) vapply(v, function(p) format(p, scientific = p < 1e-4), "")

# Both tails by the distance from the median.
tail_picture <- function(fit, sample) {
  middle <- distribution_quantile(fit, log(0.5), log(0.5))
  i <- shown_points(length(sample$x))
  x <- sample$x[i]
  side <- function(sign) {
    keep <- sign * (x - middle) > 0
    data.frame(tail = if (sign > 0) "upper" else "lower", x = abs(x - middle)[keep],
               y = (if (sign > 0) 1 - sample$rank[i] else sample$rank[i])[keep], censored = sample$hidden[i][keep])
  }
  points <- rbind(side(1), side(-1))
  reach <- c(stats::quantile(points$x, 0.1, names = FALSE), max(points$x))
  distance <- exp(seq(log(reach[1]) - 1, log(reach[2]) + 1, length.out = 201))
  curves <- data.frame(tail = rep(c("upper", "lower"), each = 201L), x = distance,
                       y = exp(c(log_tails(fit, middle + distance)$upper, log_tails(fit, middle - distance)$lower)))
  picture("Tails", "distance from the median", "tail probability",
          list(mark("points", points), mark("line", curves[curves$y > 0, ], lwd = 1.5)), reach,
          c(min(points$y) / 2, 0.5), log = "xy", ticks = list(x = decade_ticks(3), y = decade_ticks(2)),
          key = c(upper = plot_colours[["fit"]], lower = plot_colours[["sample"]]), group = "tail")
}

# Powers of ten, with twice and five times these on less than `few` decades, or the usual ticks within one.
decade_ticks <- function(few) function(range) {
  decade <- 10^seq(floor(range[1]), ceiling(range[2]), by = ceiling(diff(range) / 8))
  tick <- if (diff(range) < 1) pretty(10^range)
          else if (diff(range) < few) sort(outer(c(1, 2, 5), decade))
          else decade
  tick <- tick[tick > 0]
  list(at = tick, text = vapply(tick, function(v) format(v, scientific = v < 1e-3 || v >= 1e5, digits = 3), ""))
}

# The name of the sample in the call of the fit, where it is short.
sample_name <- function(fit) {
  text <- if (is.null(fit$call$x)) "x" else paste(deparse(fit$call$x), collapse = " ")
  if (nchar(text) > 30L) "x" else text
}

# A histogram with the fitted density.
density_picture <- function(fit, sample, log) {
  x <- sample$x
  middle <- stats::approx(sample$rank, x, c(0.25, 0.5, 0.75), rule = 2, ties = "ordered")$y
  spread <- middle[3] - middle[1]
  reach <- if (spread > 0) 8 * spread else diff(range(x))
  limits <- c(max(x[1], middle[2] - reach), min(x[length(x)], middle[2] + reach))
  shown <- x >= limits[1] & x <= limits[2]
  width <- max(2 * spread / sample$size^(1 / 3), diff(limits) / 200)
  breaks <- seq(limits[1], limits[2], length.out = max(5, ceiling(diff(limits) / width)) + 1)
  bin <- factor(cut(x[shown], breaks, labels = FALSE, include.lowest = TRUE), seq_len(length(breaks) - 1))
  counts <- tapply(sample$weight[shown], bin, sum, default = 0)
  height <- as.vector(counts) / sample$size / diff(breaks)[1]
  grid <- seq(limits[1], limits[2], length.out = 1201)
  density <- fitted_density(fit, grid)
  # a peak that is narrower than the bars must not flatten them
  top <- min(max(height, density[is.finite(density)]), 2 * max(height))
  floor <- if (log) 0.5 * min(height[height > 0]) else 0
  bars <- data.frame(left = breaks[-length(breaks)], right = breaks[-1], floor = floor / 10, height = height)
  hidden <- sample$size - sum(sample$weight[shown])
  picture("Density", sample_name(fit), "density",
          list(mark("bars", bars[height > 0, ], plot_colours[["band"]]),
               mark("line", data.frame(x = grid, y = pmax(density, floor / 10)), plot_colours[["fit"]], lwd = 2)),
          limits, c(floor, top), log = if (log) "y" else "", caption = if (hidden > 0) beyond_text(hidden))
}

beyond_text <- function(count) paste(format(count), if (count == 1) "observation" else "observations", "beyond")
