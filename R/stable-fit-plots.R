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
  if (!is.null(log)) log <- one_flag("log", log)
  if (!is_one_na(level)) check_level(level)
  stretched <- !isFALSE(log)
  sample <- order_sample(x)
  draw_views(which, ask, function(view) switch(view,
    density = plot_density(x, sample, isTRUE(log), ...), qq = plot_qq(x, sample, stretched, level, ...),
    pp = plot_pp(x, sample, stretched, level, ...), tail = plot_tail(x, sample, ...)))
  invisible(x)
}

# The sample in order, with the probability that lies below each observation, half of its own weight included, and the
# number of observations that this comes from. Censored ones stand where the distribution would put them.
order_sample <- function(fit) {
  x <- fit$x
  w <- if (is.null(fit$weights)) rep(1, length(x)) else fit$weights
  hidden <- censored_rows(fit)
  if (any(hidden)) x[hidden] <- spread_censored(fit, hidden, w)
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

# Quantiles of the fitted distribution from the logarithms of both tails: from the smaller.
distribution_quantile <- function(fit, lower, upper) {
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

point_symbols <- function(sample, shown) ifelse(sample$hidden[shown], 1, 16)

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

scaled_axes <- function(scale, inverse, given) {
  for (side in 1:2) {
    range <- graphics::par("usr")[if (side == 1) 1:2 else 3:4]
    tick <- round_ticks(range, scale, inverse)
    label <- vapply(tick, format, "", digits = 4)
    if (side == 1) own_axis(1, given, scale(tick), label, las = 1)
    else left_axis(given, scale(tick), label)
  }
}

# The frame, which a plot without axes has not either.
own_box <- function(given)
  if (!isFALSE(if (is.null(given$frame.plot)) given$axes else given$frame.plot)) graphics::box()

draw_band <- function(x, low, high) {
  keep <- is.finite(x) & is.finite(low) & is.finite(high)
  graphics::polygon(c(x[keep], rev(x[keep])), c(low[keep], rev(high[keep])), col = plot_colours[["band"]],
                    border = NA)
}

# What a plot of quantiles shows, in the coordinates of its axes: theory, sample, the band, and the scale of the axes.
qq_parts <- function(fit, sample, stretched, level) {
  i <- shown_points(length(sample$x))
  rank <- sample$rank[i]
  theory <- distribution_quantile(fit, log(rank), log1p(-rank))
  scale <- inverse <- identity
  if (stretched) {
    quartile <- at_distribution(qstable, c(0.25, 0.5, 0.75), fit)
    unit <- (quartile[3] - quartile[1]) / 2
    scale <- function(v) asinh((v - quartile[2]) / unit)
    inverse <- function(t) quartile[2] + unit * sinh(t)
  }
  band <- if (!is.na(level)) lapply(c(1 - level, 1 + level) / 2, function(p) {
    tails <- order_band(rank, sample$size, p)
    scale(distribution_quantile(fit, tails$lower, tails$upper))
  })
  list(at = scale(theory), points = scale(sample$x[i]), band = band, scale = scale, inverse = inverse,
       symbol = point_symbols(sample, i))
}

plot_qq <- function(fit, sample, stretched, level, ...,
                    labels = c("quantiles of the fitted distribution", "quantiles of the sample")) {
  q <- qq_parts(fit, sample, stretched, level)
  axes <- if (stretched) list(xaxt = "n", yaxt = "n") else list(las = 1, yaxt = "n")
  call_plot(graphics::plot.default,
            c(list(x = range(q$at), y = range(q$at, q$points), type = "n", main = "Quantiles",
                   xlab = labels[1L], ylab = labels[2L]), axes), ...)
  if (stretched) scaled_axes(q$scale, q$inverse, list(...)) else left_axis(list(...))
  draw_points(q, ...)
}

# The points of quantiles or probabilities, with their band and the diagonal.
draw_points <- function(q, ...) {
  if (length(q$band)) draw_band(q$at, q$band[[1]], q$band[[2]])
  graphics::abline(0, 1, col = plot_colours[["fit"]])
  graphics::points(q$at, q$points, pch = q$symbol, cex = 0.6, col = plot_colours[["sample"]])
  own_box(list(...))
}

pp_parts <- function(fit, sample, stretched, level) {
  i <- shown_points(length(sample$x))
  rank <- sample$rank[i]
  scale <- if (stretched) function(lower, upper) lower - upper else function(lower, upper) exp(lower)
  tails <- log_tails(fit, sample$x[i])
  band <- if (!is.na(level)) lapply(c(1 - level, 1 + level) / 2, function(p) {
    tails <- order_band(rank, sample$size, p)
    scale(tails$lower, tails$upper)
  })
  list(at = scale(log(rank), log1p(-rank)), points = scale(tails$lower, tails$upper), band = band,
       symbol = point_symbols(sample, i))
}

plot_pp <- function(fit, sample, stretched, level, ...,
                    labels = c("probability in the sample", "probability by the fitted distribution")) {
  q <- pp_parts(fit, sample, stretched, level)
  reach <- if (stretched) range(q$points[is.finite(q$points)], q$at, unlist(q$band)) else c(0, 1)
  axes <- if (stretched) list(xaxt = "n", yaxt = "n") else list(las = 1, yaxt = "n")
  call_plot(graphics::plot.default,
            c(list(x = if (stretched) range(q$at) else c(0, 1), y = reach, type = "n",
                   xlab = labels[1L], ylab = labels[2L], main = "Probabilities"), axes), ...)
  if (stretched) probability_axes(list(...)) else left_axis(list(...))
  draw_points(q, ...)
}

probability_axes <- function(given) {
  for (side in 1:2) {
    tick <- probability_ticks(graphics::par("usr")[if (side == 1) 1:2 else 3:4])
    # horizontal ones would reach the title of the vertical axis
    own_axis(side, given, tick$logit, tick$text, las = 0, gap = 0.5)
  }
}

probability_ticks <- function(range) {
  end <- max(2, ceiling(max(abs(range)) / log(10)))
  small <- 10^-(seq_len(end)[if (end > 8) seq_len(end) %% ceiling(end / 4) == 0 else TRUE])
  small <- c(rev(small), if (end <= 2) 0.25)
  list(logit = c(stats::qlogis(small), 0, -stats::qlogis(rev(small))), text = c(format_each(small), "0.5",
    vapply(rev(small), function(p) if (p >= 1e-4) format(1 - p, digits = 6) else paste("1 -", format(p)), "")))
}

format_each <- function(v) vapply(v, function(p) format(p, scientific = p < 1e-4), "")

# Points and curves of the upper and the lower tail, by the distance from the median.
tail_parts <- function(fit, sample) {
  middle <- at_distribution(qstable, 0.5, fit)
  i <- shown_points(length(sample$x))
  x <- sample$x[i]
  side <- function(sign) {
    keep <- sign * (x - middle) > 0
    data.frame(tail = if (sign > 0) "upper" else "lower", t = abs(x - middle)[keep],
               p = (if (sign > 0) 1 - sample$rank[i] else sample$rank[i])[keep],
               symbol = point_symbols(sample, i)[keep])
  }
  points <- rbind(side(1), side(-1))
  reach <- c(stats::quantile(points$t, 0.1, names = FALSE), max(points$t))
  distance <- exp(seq(log(reach[1]) - 1, log(reach[2]) + 1, length.out = 201))
  curves <- data.frame(tail = rep(c("upper", "lower"), each = 201L), t = distance,
                       p = c(at_distribution(pstable, middle + distance, fit, lower.tail = FALSE),
                             at_distribution(pstable, middle - distance, fit)))
  list(points = points, curves = curves[curves$p > 0, ], reach = reach, low = min(points$p) / 2)
}

plot_tail <- function(fit, sample, ...) {
  v <- tail_parts(fit, sample)
  colour <- c(upper = plot_colours[["fit"]], lower = plot_colours[["sample"]])
  call_plot(graphics::plot.default,
            list(x = v$reach, y = c(v$low, 0.5), log = "xy", type = "n", xlab = "distance from the median",
                 ylab = "tail probability", main = "Tails", xaxt = "n", yaxt = "n"), ...)
  for (side in 1:2) decade_axis(side, list(...))
  for (k in names(colour)) {
    own <- v$points[v$points$tail == k, ]
    graphics::points(own$t, own$p, pch = own$symbol, cex = 0.6, col = colour[[k]])
    own <- v$curves[v$curves$tail == k, ]
    graphics::lines(own$t, own$p, col = colour[[k]], lwd = 1.5)
  }
  graphics::legend("topright", names(colour), col = colour, pch = 16, lwd = 1.5, bty = "n")
}

# Powers of ten, with twice and five times these where there are few, or the usual ticks within one.
decade_axis <- function(side, given) {
  range <- graphics::par("usr")[if (side == 1) 1:2 else 3:4]
  decade <- 10^seq(floor(range[1]), ceiling(range[2]), by = ceiling(diff(range) / 8))
  tick <- if (diff(range) < 1) pretty(10^range)
          else if (diff(range) < if (side == 1) 3 else 2) sort(outer(c(1, 2, 5), decade))
          else decade
  label <- vapply(tick, function(v) format(v, scientific = v < 1e-3 || v >= 1e5, digits = 3), "")
  if (side == 1) own_axis(1, given, tick[tick > 0], label[tick > 0], las = 1)
  else left_axis(given, tick[tick > 0], label[tick > 0])
}

# The name of the sample in the call of the fit, where it is short.
sample_name <- function(fit) {
  text <- if (is.null(fit$call$x)) "x" else paste(deparse(fit$call$x), collapse = " ")
  if (nchar(text) > 30L) "x" else text
}

# Bars, the curve and the limits of the axes of a histogram with the fitted density.
density_parts <- function(fit, sample, log) {
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
  density <- at_distribution(dstable, grid, fit)
  # a peak that is narrower than the bars must not flatten them
  top <- min(max(height, density[is.finite(density)]), 2 * max(height))
  floor <- if (log) 0.5 * min(height[height > 0]) else 0
  bar <- height > 0
  list(limits = limits, reach = c(floor, top), hidden = sample$size - sum(sample$weight[shown]),
       bars = data.frame(left = breaks[-length(breaks)], right = breaks[-1], height = height)[bar, ],
       curve = data.frame(x = grid, density = pmax(density, floor / 10)))
}

plot_density <- function(fit, sample, log, ...) {
  v <- density_parts(fit, sample, log)
  call_plot(graphics::plot.default,
            list(x = v$limits, y = v$reach, type = "n", log = if (log) "y" else "", xlab = sample_name(fit),
                 ylab = "density", main = "Density", las = if (log) 0 else 1, yaxt = if (log) "s" else "n"), ...)
  if (!log) left_axis(list(...))
  graphics::rect(v$bars$left, if (log) v$reach[1] / 10 else 0, v$bars$right, v$bars$height, col = "grey88",
                 border = "grey65")
  graphics::lines(v$curve$x, v$curve$density, col = plot_colours[["fit"]], lwd = 2)
  if (v$hidden > 0)
    graphics::legend("topright", beyond_text(v$hidden), bty = "n", cex = 0.8, text.col = "grey35")
  own_box(list(...))
}

beyond_text <- function(count) paste(format(count), if (count == 1) "observation" else "observations", "beyond")
