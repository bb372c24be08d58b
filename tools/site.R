# Rscript tools/site.R: builds the site of the package from the tree, without a network, into build/site.
options(pkgdown.internet = FALSE)
pkgdown::check_pkgdown()
pkgdown::build_site(preview = FALSE, install = FALSE, new_process = FALSE)
