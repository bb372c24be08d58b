# Plots by ggplot2, whose generic gets these methods when it is loaded.

#' Plots by ggplot2
#'
#' Methods for the generic `autoplot()` of package \pkg{ggplot2}: the main plots of fits, models and fields as objects
#' of class `ggplot`, to which layers, scales and themes can be added. They are registered once ggplot2 is loaded.
#' The methods of [plot()] show the same, and more, without another package.
#'
#' @param object a fit by [stableFit()], for one series or for many, by [stableRoll()], [stableReg()],
#'   [stableGarch()] or [mstableFit()], whose radius is shown; a profile of a fit; a fit by [gpFit()]; a result of
#'   [gpCV()]; a model by [covModel()]; a field by [tbrf()] or [predict()][predict.gpFit] on a line, in the plane or
#'   at points in the plane; estimates by [rfCovariance()], [rfVariogram()] and [rfSpectrum()]; or many integrals by
#'   [integrategpu()].
#' @param which the view, a single one: see [plot.stableFit()], [plot.stableReg()] and [plot.gpFit()], of which
#'   `"variogram"`, `"residuals"` and `"qq"` are available. Several variables have a panel each, or for each pair.
#' @param parm names of the parameters shown, by default all.
#' @param log as for [plot.stableFit()] and [plot.stableReg()].
#' @param level probability of bands and intervals.
#' @param method method of the limits, as for [plot()][plot.stableFits].
#' @param pairs,to,n,what,dim as for [plot.gpFit()] and [plot.covModel()].
#' @param against as for [plot()][plot.integrals].
#' @param sim number or name of the field that is shown.
#' @param series as for [plot()][plot.stableGarch].
#' @param component,time of fields with several values at a point, or that change in time: as for
#'   [plot()][plot.rfield]. By default there is a panel for each component.
#' @param ... not used.
#' @return An object of class `ggplot`.
#' @name autoplot
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' returns <- 100 * diff(log(datasets::EuStockMarkets))
#' ggplot2::autoplot(stableFit(returns[, "CAC"]), "tail")
#' ggplot2::autoplot(stableFit(returns)) + ggplot2::theme_bw()
#' ggplot2::autoplot(covModel("matern", range = 2, smoothness = 1.5, nugget = 0.2))
NULL
