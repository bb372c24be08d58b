# What fits of all families share.

# The first of the classes is the name of the function that fits.
check_fit <- function(name, value, class)
  if (!inherits(value, class) || !is.data.frame(unclass(value)$parameters))
    input_error(name, base::class(value)[1L], sprintf("must be a fit by %s()", class[1L]))

# Tests of neighbours among fits by the dimensions of their models.
test_fits <- function(fits, labels, heading) {
  df <- vapply(fits, function(f) as.double(f$dimension), 1)
  loglik <- vapply(fits, function(f) f$loglik, 1)
  end <- search_end(fits[[1L]])
  for (i in ratio_faults(df, loglik, end$slack)) {
    pair <- c(i - 1L, i)[order(df[c(i - 1L, i)])] # the smaller model first
    warn(sprintf(paste("model %s has a smaller likelihood than model %s, which has fewer parameters, by %s: fit it",
                       "again with %s"),
                 labels[pair[2L]], labels[pair[1L]], rounded(abs(diff(loglik[pair]))), end$remedy),
         class = "statcl_warning_better_fit", with = list(fit = fits[[pair[1L]]]))
  }
  ratio_table(df, loglik, labels, heading)
}

# By how much searches end below a maximum, and what may find a higher one.
search_end <- function(fit) UseMethod("search_end")

#' @exportS3Method NULL
search_end.default <- function(fit) list(
  slack = 1e-6, remedy = "start from the estimates of that, which this warning has in its component fit")

# Where is the larger model less likely than the smaller one, which cannot be at its maximum?
ratio_faults <- function(df, loglik, slack = 1e-6) which(c(NA, diff(loglik) * sign(diff(df))) < -slack)

# models: how many there are of each sample, which follow each other.
ratio_table <- function(df, loglik, labels, heading, models = length(df)) {
  change <- c(NA, diff(df))[seq_along(df)]
  change[seq(1L, by = models, length.out = length(df) / models)] <- NA
  statistic <- 2 * c(NA, diff(loglik)) * sign(change)
  statistic[change %in% 0] <- NA
  table <- data.frame("#Df" = df, LogLik = loglik, Df = change, Chisq = statistic,
                      "Pr(>Chisq)" = stats::pchisq(pmax(statistic, 0), abs(change), lower.tail = FALSE),
                      check.names = FALSE)
  rownames(table) <- labels
  if (any(change %in% 0)) heading <- c(heading, "Models with equally many parameters have no likelihood ratio test")
  if (all(change %in% c(NA, 0))) table <- table[c("#Df", "LogLik")]
  structure(table, heading = heading, class = c("anova", "data.frame"))
}

# Data with columns that have a value for each observation used; where na.exclude has left some out, data may have
# their rows.
augmented <- function(fit, data, columns) {
  if (nrow(data) != length(fit$residuals)) columns <- lapply(columns, function(v) stats::naresid(fit$na.action, v))
  if (length(columns[[1L]]) != nrow(data))
    input_error("data", nrow(data), "must have a row for each observation of the fit")
  data[names(columns)] <- lapply(columns, unname)
  data
}

# The value of expr, with the state of R's generator before, or seed, as attribute; a seed is for expr alone.
with_seed <- function(seed, expr) {
  if (!is.null(seed)) {
    one_number("seed", seed, "")
    if (abs(seed) > .Machine$integer.max) input_error("seed", seed, "must be a whole number, as for set.seed()")
  }
  if (!exists(".Random.seed", envir = globalenv(), inherits = FALSE)) stats::runif(1)
  before <- get(".Random.seed", envir = globalenv(), inherits = FALSE)
  state <- before
  if (!is.null(seed)) {
    on.exit(assign(".Random.seed", before, envir = globalenv()))
    set.seed(seed)
    state <- structure(seed, kind = as.list(RNGkind()))
  }
  structure(expr, seed = state)
}

# Positions of parameters, which parm names or counts, among those that are known.
which_parameters <- function(parm, known, name) {
  at <- if (is.character(parm)) ifelse(is.na(i <- match(parm, known)), match(parm, make.unique(known)), i)
        else if (is.numeric(parm)) tryCatch(seq_along(known)[parm], error = function(e) NA) # 1 and -1 together
  if (anyNA(at) || !length(at))
    input_error(name, if (length(at) && length(at) == length(parm)) parm[is.na(at)] else parm,
                "must name parameters of the fit")
  at
}

fit_response <- function(frame, terms) {
  if (attr(terms, "response") == 0L) input_error("formula", deparse(stats::formula(terms))[1L], "has no response")
  y <- without_units(model.response(frame))
  check_one_response(y, names(frame)[1L])
  if (!is.numeric(y))
    input_error("formula", names(frame)[1L], "must have a numeric vector on the left")
  if (!length(y))
    raise_engine_error("input", sprintf("formula = %s: data, subset and missing values leave no case",
                                        deparse(stats::formula(terms))[1L]))
  y
}

check_one_response <- function(y, name)
  if (NCOL(y) > 1L) input_error("formula", name, paste(
    "must have a numeric vector on the left, one response: fit each column on its own; cbind(successes, failures)",
    "is for gpFit(family = binomial())"))

# Random effects as lme4 writes them would be a logical variable.
refuse_random <- function(formula, name) {
  term <- random_term(formula[[length(formula)]])
  if (is.null(term)) return(invisible())
  group <- paste(all.vars(term[[3L]]), collapse = ":")
  input_error("formula", sprintf("(%s)", deparse1(term)), sprintf(paste(
    "must have no random effects, which %s() does not fit: a factor, + %s, gives each group an effect of its own,",
    "and gpFit() has random ones"), name, group))
}

random_term <- function(e) {
  if (!is.call(e)) return(NULL)
  name <- as.character(e[[1L]])[1L]
  if (name %in% c("|", "||")) e
  else if (name %in% c("+", "-", "*", ":", "/", "^", "(")) Find(Negate(is.null), lapply(as.list(e)[-1L], random_term))
}

# The numbers of package units, in the unit of `like`.
without_units <- function(x, name = NULL, like = x) {
  if (!inherits(x, "units")) return(x)
  if (!inherits(like, "units"))
    input_error(name, "units", "must be without units, as the variable that it belongs to: use units::drop_units()")
  if (!identical(attr(x, "units"), attr(like, "units")))
    x <- tryCatch(units::set_units(x, attr(like, "units"), mode = "standard"), error = function(e)
      input_error(name, as.character(attr(x, "units")), sprintf("must have the unit of the data, %s",
                                                                as.character(attr(like, "units")))))
  attr(x, "units") <- NULL
  if (identical(class(x), "units")) unclass(x) else structure(x, class = setdiff(class(x), "units"))
}

# The model matrix of new data with all its columns, the offset, and what `na.action` has left out.
new_columns <- function(object, newdata, na.action = stats::na.pass) {
  terms <- stats::delete.response(object$terms)
  own <- function(expr) model_variables(terms, newdata, expr, "newdata")
  frame <- plain_numbers(new_frame(object, terms, newdata, na.action = na.action))
  frame <- in_units_of(object, frame)
  classes <- attr(terms, "dataClasses")
  if (!is.null(classes)) own(stats::.checkMFClasses(classes, frame))
  list(x = own(model.matrix(terms, frame, contrasts.arg = object$contrasts)),
       offset = own(fit_new_offset(object, terms, frame, newdata)), omitted = attr(frame, "na.action"))
}

# The model frame of new data, which must have no levels but those of the fit.
new_frame <- function(object, terms, newdata, ...) {
  variables <- model_variables(terms, newdata, model.frame(terms, newdata, na.action = stats::na.pass), "newdata")
  for (name in names(object$xlevels)) {
    odd <- setdiff(as.character(unique(variables[[name]])), c(object$xlevels[[name]], NA))
    if (length(odd)) input_error(paste0("newdata$", name), odd, sprintf(
      "has %s that the data of the fit do not have", if (length(odd) == 1L) "a level" else "levels"))
  }
  model_variables(terms, newdata, model.frame(terms, newdata, xlev = object$xlevels, ...), "newdata")
}

# Variables of new data in the units of those of the fit.
in_units_of <- function(object, frame) {
  for (name in names(frame)) if (inherits(frame[[name]], "units"))
    frame[[name]] <- without_units(frame[[name]], paste0("newdata$", name), model.frame(object)[[name]])
  frame
}

# The offsets of new data: the argument's, evaluated there, and those of the formula.
fit_new_offset <- function(object, terms, frame, newdata) {
  total <- numeric(nrow(frame))
  given <- c(as.list(attr(terms, "variables"))[attr(terms, "offset") + 1L], object$call$offset)
  for (expression in given) {
    offset <- eval(expression, newdata, environment(terms))
    if (!length(offset) %in% c(1L, nrow(frame)))
      raise_engine_error("input", sprintf("newdata has %s: the offset %s has %d", count_text(nrow(frame), "row"),
                                          deparse(expression)[1L], length(offset)))
    total <- total + without_units(offset, "offset", model.response(model.frame(object)))
  }
  total
}
