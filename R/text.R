# Words for numbers and counts.

percent <- function(p) paste(format(100 * p, trim = TRUE, digits = 3), "%")

count_text <- function(n, what) sprintf("%.0f %s%s", n, what, if (n == 1) "" else "s")
