# Workers: processes of a cluster of package parallel do parts of a computation. The lowest functions here send one
# call to one worker and wait for its reply; cluster_round() sends one to each, and cluster_apply() deals out parts as
# workers become free. Whatever happens, each call that was sent is answered and read before R goes on, so that the
# user's next call finds its own replies.

#' Workers on several processors and machines
#'
#' `withCluster` evaluates an expression with the help of the workers of a cluster, `options(statcl.cluster = cl)`
#' does so for the session. Any cluster of package \pkg{parallel} can be used: processes on this machine, on others by
#' SSH, of a queue by MPI, or daemons of package \pkg{mirai}.
#'
#' Results are the same to the last bit with any number of workers, and without a cluster, where workers compute on
#' devices of one kind, see [useDevice()]. Random numbers are drawn, or their streams started, in the session of the
#' user, so that [set.seed()] works as usual.
#'
#' @section What workers do:
#' * [gpFit()] by Vecchia's approximation, and profiles of such a fit: each worker holds a part of the locations with
#'   their neighbours, which is sent once and freed at the end; an evaluation of the likelihood sends parameters and
#'   returns sums. Order and neighbours are found in the session of the user, which keeps all locations.
#' * `predict()` for such fits, and for fits with a `family` or grouped effects: new locations.
#' * [gpCV()] with such fits, or with `refit = TRUE`: folds.
#' * [stableFit()] with many series, [stableRoll()] and [stableTest()]: series, windows and samples.
#' * [stableGarch()] with many series, and [backtest()]: series and windows.
#' * [tbrf()] with `nsim` above 1: fields; with `file`: fragments of the grid, see [rfOpen()].
#' * [integrategpu()] with many integrals: rows.
#' * [covariance()] with `file`: columns.
#'
#' Smaller tasks are done in the session of the user: fewer than 4,000 locations (times `block`), 2,000 integrals or
#' 16 series (4 of [stableGarch()]), and predictions at fewer than 4,000 locations or by models that are tabulated
#' from a function of the user. Predictions by fits with a `family` are shared from 8,000 locations on, and in parts
#' of no fewer than an eighth of the observed locations, as each worker is first sent what all observations tell. The
#' search of such a fit is done in the session of the user, but for its start: an evaluation of Laplace's
#' approximation needs the weights of all neighbours of all locations, which take about as long to come back from a
#' worker as a few threads take to compute them.
#'
#' @section Workers:
#' They need statcl in the same version, which is looked for in the libraries of this session and then in their own.
#' Each computes on its own device in use; on the CPU, those on one machine share its threads, unless the option
#' `statcl.threads` or an environment variable says otherwise on the worker. From the first call on they leave
#' interrupts by Ctrl-C to the session of the user.
#'
#' If a worker ends, the other workers or this session do its part, with one warning and the same result. If a machine
#' vanishes without closing its connection, the session waits for the `timeout` of the cluster. An interrupt waits
#' until the workers have finished their current parts, so that they remain usable; a second interrupt abandons those
#' that have not.
#'
#' @param cl a cluster, as [parallel::makeCluster()] makes it, or `NULL` for none.
#' @param expr expression to evaluate.
#' @return The value of `expr`.
#' @seealso [withDevice()], [statcl-options]
#' @examples
#' \donttest{
#' cl <- parallel::makeCluster(2)
#' set.seed(1)
#' xy <- cbind(x = runif(6000), y = runif(6000))
#' z <- tbrf(xy, covModel("exponential", range = 0.1))
#' fit <- withCluster(cl, gpFit(z ~ 1, coords = xy, cov = "exponential", m = 10))
#' fit
#' parallel::stopCluster(cl)
#' }
#' \dontrun{
#' # two machines by SSH, each of which has R and statcl
#' cl <- parallel::makeCluster(c("node1", "node2"), homogeneous = FALSE)
#' options(statcl.cluster = cl)
#'
#' # processes of MPI, with packages snow and Rmpi
#' cl <- parallel::makeCluster(8, type = "MPI")
#'
#' # four daemons of package mirai, which Slurm starts
#' cl <- mirai::make_cluster(url = mirai::host_url(), remote = mirai::remote_config(
#'   "sbatch", rep(list(c("--mem 8G", "-n 1", "--wrap", ".")), 4)))
#' }
#' @export
withCluster <- function(cl, expr) {
  need(cl = missing(cl), expr = missing(expr))
  if (!is.null(cl)) {
    known <- cluster_known(cl, function(name, value, what) input_error(name, value, paste("must be", what)))
    if (!any(known$alive))
      warn("cl has no worker left that answers: all is done here")
  }
  old <- options(statcl.cluster = cl)
  on.exit(options(old))
  force(expr)
}

# ---- the cluster in use ----

# NULL for none: a worker has none, and a forked process must not use the connections of another.
cluster_in_use <- function() {
  cl <- getOption("statcl.cluster")
  if (is.null(cl) || isTRUE(session$at_work) || forked()) return(NULL)
  known <- cluster_known(cl, function(name, value, what) refuse_option("statcl.cluster", what))
  cluster_drain(known)
  if (any(known$alive)) known
}

# What is known of a cluster: `alive`, workers that answer, `pending`, those with a call that is not answered yet, the
# `hosts` and the `settings` of each; its `name`, with which keys of what workers keep begin, and the keys `kept`.
cluster_known <- function(cl, refuse) {
  if (!inherits(cl, "cluster") || !length(cl))
    refuse("cl", cl, "a cluster of package parallel, as makeCluster() gives it")
  for (known in session$clusters) if (identical(known$cl, cl)) return(known)
  known <- list2env(list(cl = cl, alive = rep(TRUE, length(cl)), pending = rep(FALSE, length(cl)),
                         name = cluster_key(), kept = character(), settings = vector("list", length(cl))),
                    parent = emptyenv())
  on.exit(cluster_drain(known))
  paths <- unique(c(dirname(getNamespaceInfo("statcl", "path")), .libPaths()))
  for (k in seq_along(cl)) cluster_send(known, k, cluster_hello, list(paths))
  found <- lapply(seq_along(cl), function(k) if (known$alive[k]) cluster_receive(known, k))
  own <- getNamespaceVersion("statcl")
  for (k in seq_along(cl)) {
    reply <- found[[k]]
    if (!known$alive[k] || !is.list(reply))
      input_error("cl", cl, sprintf("has worker %d, which does not answer: was the cluster stopped?", k))
    if (!is.null(reply$said))
      input_error("cl", cl, sprintf("has worker %d on %s, which cannot load statcl: %s", k, reply$host, reply$said))
    if (reply$version != own)
      input_error("cl", cl, sprintf("has worker %d on %s, with statcl %s: this is statcl %s", k, reply$host,
                                    reply$version, own))
  }
  known$hosts <- vapply(found, `[[`, "", "host")
  for (k in seq_along(cl)) if (!is.null(found[[k]]$threads))
    known$settings[[k]] <- list(statcl.threads = max(1, found[[k]]$threads %/% sum(known$hosts == known$hosts[k])))
  session$clusters <- utils::head(c(list(known), session$clusters), 4L)
  known
}

# Without the environment of the package, which a worker may not have.
cluster_hello <- function(paths) {
  host <- unname(Sys.info()["nodename"])
  paths <- unique(c(paths[dir.exists(paths)], .libPaths()))
  said <- tryCatch({
    loadNamespace("statcl", paths)
    NULL
  }, error = conditionMessage)
  if (!is.null(said)) return(list(host = host, said = said))
  list(host = host, version = getNamespaceVersion("statcl"), threads = asNamespace("statcl")$worker_begin())
}
environment(cluster_hello) <- baseenv()

cluster_call <- function(...) asNamespace("statcl")$worker_run(...)
environment(cluster_call) <- baseenv()

# ---- one worker ----

# Package parallel has generic functions for one node, which it does not export.
node_call <- function(name, ...) get(name, envir = asNamespace("parallel"))(...)

has_sockets <- function(cluster) inherits(cluster$cl, "SOCKcluster")

# A message that is broken off would be the end of a connection.
unbroken <- function(expr) {
  before <- .Call(C_holdInterrupts, TRUE)
  on.exit(if (!before) .Call(C_holdInterrupts, FALSE))
  force(expr)
}

cluster_send <- function(cluster, k, fun, args) {
  sent <- tryCatch(unbroken({
    cluster$pending[k] <- TRUE
    node_call("sendCall", cluster$cl[[k]], fun, args)
    TRUE
  }), error = function(e) FALSE)
  if (!sent) cluster_lost(cluster, k)
}

# The reply of worker k, or NULL from one that has ended.
cluster_receive <- function(cluster, k) {
  node <- cluster$cl[[k]]
  reply <- tryCatch(if (has_sockets(cluster)) {
    while (!socketSelect(list(node$con), timeout = 60)) NULL
    unbroken({
      reply <- node_call("recvResult", node)
      cluster$pending[k] <- FALSE
      reply
    })
  } else node_call("recvResult", node), error = function(e) NULL)
  cluster$pending[k] <- FALSE
  if (!is.list(reply)) {
    cluster_lost(cluster, k)
    return(NULL)
  }
  reply
}

# The first to be done of several.
cluster_ready <- function(cluster, at) {
  if (!has_sockets(cluster)) return(at[1L])
  repeat {
    ready <- tryCatch(socketSelect(lapply(cluster$cl[at], `[[`, "con"), timeout = 60), error = function(e) TRUE)
    if (any(ready)) return(at[which(ready)[1L]])
  }
}

cluster_lost <- function(cluster, k) {
  cluster$pending[k] <- FALSE
  cluster$alive[k] <- FALSE
  cluster$lost <- c(cluster$lost, k)
}

# Once a set of calls has been answered.
cluster_warn <- function(cluster) {
  lost <- cluster$lost
  cluster$lost <- NULL
  if (length(lost)) warn(sprintf(
    "%s %s of the cluster (on %s) %s not answer any more: %s", if (length(lost) > 1L) "workers" else "worker",
    toString(lost), toString(unique(cluster$hosts[lost])), if (length(lost) > 1L) "do" else "does",
    if (any(cluster$alive)) "the others do what was theirs" else "what was to be done is done here"))
}

# Waits for what is not answered; who interrupts that loses the workers that are not ready.
cluster_drain <- function(cluster) {
  if (!any(cluster$pending)) return() # an interrupt is none of what is waited for
  tryCatch(for (k in which(cluster$pending)) cluster_receive(cluster, k), interrupt = function(e) {
    for (k in which(cluster$pending)) cluster_lost(cluster, k)
    cluster_warn(cluster)
  })
}

# A call of a function of this package, by its name.
cluster_ask <- function(cluster, k, name, ...)
  cluster_send(cluster, k, cluster_call, list(
    mget(c("name", "kept"), envir = cluster),
    c(cluster$settings[[k]], options(
      "statcl.blas", "statcl.precision", "statcl.covariance.route", "statcl.stable.route")), name, list(...)))

# What the function gave, as list(value), NULL from a worker that has ended.
cluster_answer <- function(cluster, k) {
  reply <- cluster_receive(cluster, k)
  for (text in reply$warnings) warn(text)
  for (text in reply$messages) message(text, appendLF = FALSE)
  if (is.null(reply$error)) return(reply["value"])
  kind <- sub("statcl_error_", "", grep("^statcl_error_", reply$error$class, value = TRUE))
  if (length(kind)) raise_engine_error(kind[1L], reply$error$message)
  stop(simpleError(sprintf("worker %d of the cluster: %s", k, reply$error$message), user_call()))
}

# ---- all workers ----

# To each worker k the call job(k), a list of a name and arguments, or NULL for none. The answers as a list, NULL
# from those that have ended. Workers of some clusters are told apart by their turn alone: each has one.
cluster_round <- function(cluster, job) {
  on.exit(cluster_drain(cluster))
  answers <- vector("list", length(cluster$cl))
  for (k in which(cluster$alive)) {
    call <- job(k)
    if (is.null(call)) call <- list("worker_rest")
    do.call(cluster_ask, c(list(cluster, k), call), quote = TRUE)
  }
  for (k in which(cluster$pending)) answers[k] <- list(cluster_answer(cluster, k))
  answers
}

# lapply(parts, fun, ...) with the name of a function of this package. What is in ... goes to a worker once.
cluster_apply <- function(parts, fun, ...) {
  values <- vector("list", length(parts))
  cluster_each(parts, fun, function(k, value) values[k] <<- list(value), TRUE, ...)
  values
}

# take(k, fun(parts[[k]], ...)) for each k, as values are ready, in any order; sent: by workers, if there are any. A
# worker has its next part before the value of its last is taken.
cluster_each <- function(parts, fun, take, sent, ...) {
  cluster <- if (sent && length(parts) > 1L) cluster_in_use()
  here <- function(left) for (k in left) take(k, do.call(fun, list(parts[[k]], ...), quote = TRUE))
  if (is.null(cluster)) return(here(seq_along(parts)))
  common <- list(...)
  key <- cluster_keep(cluster)
  has <- rep(FALSE, length(cluster$cl))
  at <- integer(length(cluster$cl)) # the part that a worker is at
  left <- seq_along(parts)
  on.exit({
    cluster_drain(cluster)
    cluster$kept <- setdiff(cluster$kept, key)
    cluster_round(cluster, function(k) NULL)
  })
  deal <- function() for (k in which(cluster$alive & at == 0L)) if (length(left)) {
    at[k] <<- left[1L]
    cluster_ask(cluster, k, "worker_part", key, fun, parts[[left[1L]]], if (!has[k]) common)
    if (cluster$alive[k]) left <<- left[-1L]
    has[k] <<- TRUE
  }
  repeat {
    deal()
    busy <- which(cluster$pending)
    if (!length(busy)) break
    k <- cluster_ready(cluster, busy)
    answer <- cluster_answer(cluster, k)
    part <- at[k]
    at[k] <- 0L
    if (inherits(answer[[1L]], "absent")) has[k] <- FALSE # another process than before
    if (is.null(answer) || !has[k]) {
      left <- c(part, left)
      next
    }
    deal()
    take(part, answer[[1L]])
  }
  cluster_warn(cluster)
  here(left)
}

cluster_key <- function() {
  session$keys <- c(session$keys, 0)[1L] + 1
  paste0(Sys.info()[["nodename"]], "-", Sys.getpid(), "-", format(Sys.time(), "%H%M%OS6"), "-", session$keys, "-")
}

# A key for something that workers keep.
cluster_keep <- function(cluster) {
  key <- paste0(cluster$name, session$keys <- session$keys + 1)
  cluster$kept <- c(cluster$kept, key)
  key
}

# Numbers 1, ..., n in contiguous parts of at least so many, up to `each` for a worker, or one without a cluster.
cluster_parts <- function(n, least = 1, each = 4) {
  cluster <- if (n >= 2 * least) cluster_in_use()
  parts <- if (is.null(cluster)) 1 else max(1, min(each * sum(cluster$alive), n %/% least))
  if (parts == 1 && n > 0) return(list(seq_len(n))) # in no time, whatever n
  unname(split(seq_len(n), ceiling(seq_len(n) * (parts / n))))
}

# ---- what a worker does ----

# An interrupt by the terminal reaches workers as well. In the middle of a message it would break the connection: it
# is for the session of the user alone.
worker_begin <- function() {
  .Call(C_holdInterrupts, TRUE)
  said <- !is.null(getOption("statcl.threads")) || nzchar(Sys.getenv("STATCL_THREADS"))
  if (!said) .Call(C_cl_status)$threads
}

worker_run <- function(cluster, settings, name, args) {
  old <- options(c(settings, list(statcl.progress = FALSE)))
  session$at_work <- TRUE
  on.exit({
    session$at_work <- NULL
    options(old)
  })
  if (is.null(session$kept_parts)) session$kept_parts <- new.env(parent = emptyenv())
  had <- names(session$kept_parts)
  gone <- setdiff(had[startsWith(had, cluster$name)], cluster$kept)
  if (length(gone)) {
    rm(list = gone, envir = session$kept_parts)
    gc(FALSE)
  }
  said <- list()
  found <- withCallingHandlers(
    tryCatch(list(value = do.call(name, args, quote = TRUE)),
             error = function(e) list(error = list(class = class(e), message = conditionMessage(e)))),
    warning = function(w) {
      said$warnings <<- c(said$warnings, conditionMessage(w))
      tryInvokeRestart("muffleWarning")
    },
    message = function(m) {
      said$messages <<- c(said$messages, conditionMessage(m))
      tryInvokeRestart("muffleMessage")
    })
  c(found, said)
}

worker_rest <- function() NULL

# One of the parts of cluster_apply(); `common` is what all have in common, NULL if it was sent before.
worker_part <- function(key, fun, part, common) {
  kept <- session$kept_parts
  if (!is.null(common)) kept[[key]] <- common
  if (is.null(kept[[key]])) return(structure(list(), class = "absent"))
  do.call(fun, c(list(part), kept[[key]]), quote = TRUE)
}
