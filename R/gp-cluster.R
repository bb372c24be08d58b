# Vecchia's approximation on a cluster: workers have some of the parts in which its sums are added up, see
# src/gp/vecchia.h.

# The locations of a pointer, of which workers have parts: list(worker, key, from, count), and of what is done here a
# pointer in place of the key.
spread_of <- function(pointer) {
  cluster <- cluster_in_use()
  if (is.null(cluster) || .Call(C_vecchiaCount, pointer) < 16) return(pointer)
  spread <- list2env(list(pointer = pointer, cluster = cluster, parts = list()), parent = emptyenv())
  reg.finalizer(spread, spread_forget)
  spread_place(spread, 1, .Call(C_vecchiaCount, pointer))
  cluster_warn(cluster)
  spread
}

is_spread <- function(pointer) is.environment(pointer)

# What workers were sent they give back with the next call.
spread_forget <- function(spread) {
  spread$cluster$kept <- setdiff(spread$cluster$kept, spread$keys)
  spread$parts <- list()
}

spread_close <- function(spread) {
  spread_forget(spread)
  cluster_drain(spread$cluster)
  cluster_round(spread$cluster, function(k) NULL)
  .Call(C_vecchiaFree, spread$pointer)
}

# Gives parts from, from + 1, ... to the workers there are.
spread_place <- function(spread, from, count) {
  cluster <- spread$cluster
  at <- utils::head(which(cluster$alive), count)
  cut <- function(from, count) .Call(C_vecchiaCut, spread$pointer, from, count)
  if (!length(at)) {
    here <- list(worker = 0L, from = from, count = count, pointer = .Call(C_vecchiaRestore, cut(from, count)))
    spread$parts <- c(spread$parts, list(here))
    return(invisible())
  }
  ends <- from + round(seq(0, count, length.out = length(at) + 1L))
  parts <- lapply(seq_along(at), function(i)
    list(worker = at[i], key = cluster_keep(cluster), from = ends[i], count = ends[i + 1L] - ends[i]))
  spread$keys <- c(spread$keys, vapply(parts, `[[`, "", "key"))
  answers <- cluster_round(cluster, function(k) if (k %in% at) {
    part <- parts[[match(k, at)]]
    list("worker_keep", part$key, cut(part$from, part$count))
  })
  kept <- !vapply(answers[at], is.null, NA)
  spread$parts <- c(spread$parts, parts[kept])
  for (part in parts[!kept]) spread_place(spread, part$from, part$count)
}

# As C_vecchiaSums.
vecchia_total <- function(pointer, engine, wants, nugget) {
  if (!is_spread(pointer)) return(.Call(C_vecchiaSums, pointer, engine, wants, nugget))
  attempt <- 0L
  repeat {
    found <- spread_sums(pointer, engine, wants, nugget, attempt)
    total <- .Call(C_vecchiaAdd, do.call(cbind, lapply(found, `[[`, 1L)))
    if (!is.nan(total[2L])) break
    attempt <- attempt + 1L
  }
  bad <- vapply(found, `[[`, 0, 2L, USE.NAMES = FALSE)
  list(total, c(bad[bad > 0], 0)[1L])
}

# The sums of all parts in their order, as C_vecchiaPartSums gives them.
spread_sums <- function(spread, engine, wants, nugget, attempt) {
  cluster <- spread$cluster
  cluster_drain(cluster)
  found <- list()
  repeat {
    left <- Filter(function(part) is.null(found[[as.character(part$from)]]), spread$parts)
    if (!length(left)) break
    worker <- vapply(left, `[[`, 0L, "worker")
    answers <- cluster_round(cluster, function(k) if (any(worker == k))
      list("worker_sums", vapply(left[worker == k], `[[`, "", "key"), engine, wants, nugget, attempt))
    lost <- list()
    for (k in unique(worker)) {
      own <- left[worker == k]
      sums <- if (k > 0L) answers[[k]][[1L]] else lapply(own, function(part)
        .Call(C_vecchiaPartSums, part$pointer, engine, wants, nugget, attempt))
      for (i in seq_along(own))
        if (is.null(sums) || is.null(sums[[i]])) lost <- c(lost, own[i])
        else found[[as.character(own[[i]]$from)]] <- sums[[i]]
    }
    gone <- vapply(lost, `[[`, 0, "from")
    spread$parts <- Filter(function(part) !part$from %in% gone, spread$parts)
    for (part in lost) spread_place(spread, part$from, part$count)
    cluster_warn(cluster)
  }
  found[order(as.double(names(found)))]
}

# ---- what a worker does ----

worker_keep <- function(key, part) {
  session$kept_parts[[key]] <- .Call(C_vecchiaRestore, part)
  NULL
}

# NULL for what this process does not have.
worker_sums <- function(keys, engine, wants, nugget, attempt) lapply(keys, function(key) {
  pointer <- session$kept_parts[[key]]
  if (!is.null(pointer)) .Call(C_vecchiaPartSums, pointer, engine, wants, nugget, attempt)
})
