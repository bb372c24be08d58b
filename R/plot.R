# What plots of all families share: arguments, axes, colours.

# Arguments of the user before the defaults.
call_plot <- function(f, defaults, ...) {
  given <- list(...)
  if (!is.factor(given[["col"]])) check_colour("col", given[["col"]]) # of which graphics takes the codes
  do.call(f, c(given, defaults[!names(defaults) %in% names(given)]), quote = TRUE) # titles may be calls
}

plot_colours <- c(fit = "#b2182b", sample = "#2166ac", band = "grey88")

# The plots wanted, by their names or numbers.
plot_views <- function(which, views) {
  if (!is.numeric(which)) return(several("which", which, views))
  if (!length(which) || !all(which %in% seq_along(views)))
    input_error("which", which, sprintf("must be among 1 to %d or %s", length(views), toString(dQuote(views, FALSE))))
  views[unique(which)]
}

# The views one after the other. ask: before each page? NULL: if a person looks on and there is not room for all.
draw_views <- function(views, ask, draw) {
  if (is.null(ask))
    ask <- length(views) > 1L && grDevices::dev.interactive() && prod(graphics::par("mfcol")) < length(views)
  if (one_flag("ask", ask)) {
    old <- grDevices::devAskNewPage(TRUE)
    on.exit(grDevices::devAskNewPage(old))
  }
  for (view in views) draw(view)
}

# The vertical axis. Its labels are horizontal where they end before the title of the axis. The value is las.
left_axis <- function(given = list(), at = graphics::axTicks(2), label = TRUE) {
  reach <- graphics::par("usr")[3:4]
  position <- if (graphics::par("ylog")) log10(at) else at
  text <- (if (isTRUE(label)) format(at) else label)[position >= reach[1L] & position <= reach[2L]]
  of <- function(name) if (is.null(given[[name]])) graphics::par(name) else given[[name]]
  lines <- of("mgp")
  line <- graphics::par("mai")[2L] / max(graphics::par("mar")[2L], 1e-9)
  width <- max(graphics::strwidth(text, "inches", cex = of("cex.axis"), font = of("font.axis")), 0)
  own_axis(2, given, at, label, las = if (width > (lines[1L] - lines[2L]) * line) 0 else 1)
}

curve_colours <- c("#2166ac", "#b2182b", "#1b7837", "#762a83", "#e08214")

# Columns by name, which R CMD check would take for unknown variables.
gg_aes <- function(...) do.call(ggplot2::aes, lapply(c(...), as.name))

gg_titles <- function(title, x, y) ggplot2::labs(title = title, x = x, y = y)

# An axis, unless the arguments that the user has given leave it out, with those of them that are about axes; las, if
# none is given.
own_axis <- function(side, given, at, label = TRUE, las, gap = 0.3) {
  type <- given[[if (side == 1) "xaxt" else "yaxt"]]
  if (identical(type, "n") || isFALSE(given$axes)) return(invisible())
  of_axes <- c("las", "cex.axis", "col.axis", "font.axis", "family", "tck", "tcl", "mgp", "fg", "xpd")
  given <- given[names(given) %in% of_axes]
  if (is.null(given$las)) given$las <- las
  do.call(graphics::axis, c(list(side, at, label, gap.axis = gap), given), quote = TRUE)
  invisible(given$las)
}
