# One distribution at many points: values from a table against the direct ones, and what a table must not change.
with_route <- function(route, expr) {
  old <- options(statcl.stable.route = route)
  on.exit(options(old))
  force(expr)
}
laws <- list(c(1.5, 0.5), c(1.95, -0.4), c(1.999, 0.3), c(1.0001, 0.5), c(1, 0.5), c(0.97, -0.54), c(1.051, 0.597),
             c(0.7, 0.3), c(0.5, 1 - 1e-8), c(0.757, -1 + 2e-10), c(0.3, -1), c(1.3, 1), c(0.9, -1), c(0.05, 0.5),
             c(2, 0), c(1, 0))

# Errors of values whose logs are log_v: relative, or in the log, once it exceeds 100, relative to it.
table_error <- function(table, direct, log_table, log_direct)
  ifelse(table == direct | abs(log_direct) < 1e-300, 0,
         ifelse(abs(log_direct) > 100, abs(log_table / log_direct - 1), abs(table / direct - 1)))

# A table may be wrong by 4e-14 and 5 ulps of the logarithm besides what the direct values are wrong by, 1e-13 where
# the logarithm does not lose more.
test_backends("tables give the direct values", {
  skip_if_quick()
  set.seed(11)
  for (law in laws) {
    label <- paste(law, collapse = " ")
    a <- law[1]
    b <- law[2]
    x <- c(rstable(3000, a, b), seq(-30, 30, length.out = 201), -10^(0:20), 10^(0:20), 0, Inf, -Inf)
    for (call in list(function(l) dstable(x, a, b, log = l), function(l) pstable(x, a, b, log.p = l),
                      function(l) pstable(x, a, b, lower.tail = FALSE, log.p = l))) {
      d <- with_route("direct", call(FALSE))
      t <- with_route("table", call(FALSE))
      log_d <- with_route("direct", call(TRUE))
      log_t <- with_route("table", call(TRUE))
      expect_identical(is.na(t), is.na(d), label = label)
      expect_true(all(table_error(t, d, log_t, log_d) <= 1.4e-13 + 2e-15 * abs(log_d)), label = label)
    }
    p <- c(runif(3000), 10^-(1:15), 0, 1, 1 - 1e-9)
    q <- with_route("table", qstable(p, a, b))
    r <- with_route("direct", qstable(p, a, b))
    # where x hardly depends on p, the smaller of both tails at x decides
    gone_back <- function(x, p, upper) {
      back <- with_route("direct", ifelse(upper == (p > 0.5), pstable(x, a, b), pstable(x, a, b, lower.tail = FALSE)))
      abs(back - pmin(p, 1 - p)) <= 4e-13 * pmin(p, 1 - p)
    }
    expect_true(all(q == r | abs(q / r - 1) < 1e-12 | gone_back(q, p, FALSE)), label = label)
    u <- with_route("table", qstable(log(p), a, b, lower.tail = FALSE, log.p = TRUE))
    v <- with_route("direct", qstable(log(p), a, b, lower.tail = FALSE, log.p = TRUE))
    expect_true(all(u == v | abs(u / v - 1) < 1e-12 | gone_back(u, p, TRUE)), label = label)
  }
})

test_backends("tables serve every parameterisation, scale and location", {
  x <- seq(-4, 6, length.out = 500)
  for (law in list(c(1.5, 0.5), c(0.6, -0.7), c(1, 0.4))) for (pm in 0:2) {
    a <- law[1]
    b <- law[2]
    label <- paste(a, b, pm)
    for (gamma in list(2, seq(0.5, 2, length.out = 500))) for (delta in list(1, seq(-1, 1, length.out = 500))) {
      direct <- with_route("direct", list(dstable(x, a, b, gamma, delta, pm), pstable(x, a, b, gamma, delta, pm),
                                          qstable((1:500) / 501, a, b, gamma, delta, pm)))
      table <- with_route("table", list(dstable(x, a, b, gamma, delta, pm), pstable(x, a, b, gamma, delta, pm),
                                        qstable((1:500) / 501, a, b, gamma, delta, pm)))
      expect_equal(table, direct, tolerance = 1e-12, label = label)
    }
  }
})

test_backends("tables keep the manners of the direct route", {
  with_route("table", {
    expect_identical(dstable(numeric(0), 1.5, 0), numeric(0))
    expect_identical(is.na(pstable(c(NA, 1, NaN), 1.5, 0)), c(TRUE, FALSE, TRUE))
    expect_warning(expect_identical(dstable(c(1, 2), 3, 0), c(NaN, NaN)), "^NaNs produced$")
    expect_warning(expect_identical(qstable(c(-1, 2), 1.5, 0), c(NaN, NaN)), "^NaNs produced$")
    for (pm in c(3, -1, 0.5, Inf)) {
      expect_warning(expect_identical(dstable(0.3, 1.5, 0.5, pm = pm), NaN), "^NaNs produced$")
      expect_warning(expect_identical(qstable(0.3, 1.5, 0.5, pm = pm), NaN), "^NaNs produced$")
    }
    expect_identical(pstable(0.3, 1.5, 0.5, pm = NA_real_), NA_real_)
    expect_identical(pstable(c(-Inf, Inf), 0.5, -1), c(0, 1))
    expect_identical(dim(pstable(matrix(0, 2, 2), 1.5, 0)), c(2L, 2L))
    expect_identical(pstable(c(-1, 0, 1), 1.5, 0, gamma = 0), c(0, 1, 1))
    expect_identical(dstable(-1, 0.5, 1, pm = 1), 0)
    expect_identical(pstable(c(-1, 0), 0.5, 1, pm = 1), c(0, 0))
    expect_identical(qstable(c(0, 1), 0.5, 1, pm = 1), c(0, Inf))
  })
})

test_that("the route depends on the arguments alone", {
  x <- seq(-8, 8, length.out = 2e4)
  first <- dstable(x, 1.37, 0.2)
  alone <- dstable(x[1:10], 1.37, 0.2) # a table of this distribution is kept now
  expect_identical(alone, with_route("direct", dstable(x[1:10], 1.37, 0.2)))
  for (k in 1:9) dstable(x, 1.37 + k / 100, 0.2) # more distributions than are kept
  expect_identical(dstable(x, 1.37, 0.2), first)
})

# Here even and odd nodes of a ray once agreed by chance, and the direct density was off by 1e-12 to 2e-10; the table,
# a smooth function of x, was not.
test_backends("the direct density is as smooth as the table", {
  points <- data.frame(alpha = c(1, 1, 1.0001, 1.0001, 0x1.0d11a873fcfcfp+0, 0x1.eff22e0de2f53p-1),
                       beta = c(0.5, 0.5, 0.5, 0.5, 0x1.3180756c79e2p-1, -0x1.12460d21f3e81p-1),
                       x = c(-0.89935853685572664, -0.8345389, -1.5588663554447784, -0.91546158330883176,
                             -0x1.bdcdcfd03d0c7p-1, 0x1.993d902af77cap-1))
  for (i in seq_len(nrow(points))) {
    direct <- with_route("direct", with(points[i, ], dstable(x, alpha, beta)))
    table <- with_route("table", with(points[i, ], dstable(x, alpha, beta)))
    expect_lte(abs(direct / table - 1), 1.4e-13, label = paste(points[i, ], collapse = " "))
  }
})
