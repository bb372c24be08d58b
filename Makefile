# Shortcuts for developers (GNU make). Everything is built under build/; the source folders stay clean.
#   make demo      the main jobs: stable fits of daily stock index returns, and kriging of zinc along the Meuse, with
#                  reports and plots in build/demo
#   make quick     the short tests of all families
#   make test      engine tests in C and all of testthat, on the CPU and through PoCL, on the installed package
#   make bare      the short tests where of all R packages only testthat and R's own are there
#   make test-all  besides: all that takes long, see tools/test-all.sh
#   make check     R CMD check --as-cran of the tarball, and without any package that is only suggested; tests of
#                  suggested packages that are not there are skipped
#   make lint      warnings, OpenCL syntax, includes, style
#   make bench     comparisons with other packages
#   make gpu-prepared  all that bench/gpu/run-prepared.sh needs on a machine with a GPU, in build/gpu-prepared
#   make site      the pkgdown site, in build/site, with all its links checked
#   make document  roxygen2: NAMESPACE and man/
#   CHECKED=1      with quick or test: kernels on the CPU verify every column, position and list that they reach
#   STATCL_CPU_LEVELS  instruction sets that kernels are compiled for: "baseline avx2 avx512" in test-all, check and
#                  the package, "baseline native" in test and bare, and else "native", the best one that is here;
#                  where it is not alone R's code is compiled, too, once: otherwise each process of the tests would
#                  compile what it uses
# demo, the tests, lint, check and site install what the machine lacks (tools/setup.sh), without asking.

LIBRARY = build/library$(if $(CHECKED),-checked)
export STATCL_CHECKED = $(CHECKED)
export STATCL_CPU_LEVELS ?= $(if $(filter test-all check,$(MAKECMDGOALS)),,$\
  $(if $(filter test bare%,$(MAKECMDGOALS)),baseline )native)
IN_LIBRARY = R_LIBS="$(CURDIR)/$(LIBRARY)$${R_LIBS:+:$$R_LIBS}"
.PHONY: demo quick test bare bare-own bare-base test-all check lint bench gpu-prepared document site install tarball \
  clean

demo:
	@sh tools/setup.sh demo
	@$(MAKE) --no-print-directory install
	@$(IN_LIBRARY) Rscript demo/stable-returns.R build/demo
	@$(IN_LIBRARY) Rscript demo/meuse-kriging.R build/demo

quick test:
	@sh tools/setup.sh $@
	@$(MAKE) --no-print-directory install
	@$(IN_LIBRARY) sh tools/test.sh $@ $(PACKAGE)

# The second time without recommended packages and without OpenCL. Long files that neither changes are left out, and
# test-device.R the first time.
WITHOUT_PACKAGES = integrate-tails integrate-integrand gp-vecchia gp-posterior gp-highest gp-local gp-scores \
  gp-several gp-several-posterior gp-several-vecchia gp-families-limits cov-local rf-tbrf-ensemble stable-reg
bare: bare-own bare-base
bare-own bare-base: bare-%:
	@sh tools/setup.sh test
	@$(MAKE) --no-print-directory install
	@$(IN_LIBRARY) STATCL_TESTS=quick TESTTHAT_LOGS=build/testthat-$* \
	  $(if $(filter base,$*),STATCL_OPENCL=off) \
	  LEFT_OUT='$(if $(filter own,$*),device) $(WITHOUT_PACKAGES)' \
	  sh tools/bare.sh $* build/bare/$* sh tools/run-testthat.sh

test-all:
	@sh tools/setup.sh test-all
	@$(IN_LIBRARY) sh tools/test-all.sh

check:
	@sh tools/setup.sh check
	@mkdir -p build/check
	export _R_CHECK_FORCE_SUGGESTS_=false; \
	cd build/check && R CMD build ../.. && R CMD check --as-cran statcl_*.tar.gz && mkdir -p depends-only && \
	  _R_CHECK_DEPENDS_ONLY_=true R CMD check --no-manual --output=depends-only statcl_*.tar.gz

lint:
	@sh tools/setup.sh lint
	@sh tools/lint.sh

bench: install
	@for script in bench/*.R; do echo "== $$script"; $(IN_LIBRARY) Rscript $$script || exit 1; done

gpu-prepared: install
	@sh bench/gpu/prepare.sh $(LIBRARY) build/gpu-prepared

document: install
	@$(IN_LIBRARY) Rscript -e 'roxygen2::roxygenise(load_code = roxygen2::load_installed)'

site: install
	@sh tools/setup.sh site
	@$(IN_LIBRARY) Rscript tools/site.R
	@Rscript tools/links.R build/site

INSTALLED = $(LIBRARY:build/library%=build/installed%)
PACKAGE = $(LIBRARY:build/library%=build/package%)
install:
	@sh tools/stage.sh $(PACKAGE)
	@echo '$(STATCL_CPU_LEVELS)' | cmp -s - $(PACKAGE)/levels.dep || \
	  echo '$(STATCL_CPU_LEVELS)' >$(PACKAGE)/levels.dep
	@$(MAKE) --no-print-directory $(INSTALLED)
$(INSTALLED): $(PACKAGE)/staged $(PACKAGE)/levels.dep
	@mkdir -p $(LIBRARY)
	@(MAKE="make -j$$(nproc 2>/dev/null || echo 1)" STATCL_DEPENDENCIES=1 \
	  R_MAKEVARS_USER="$(CURDIR)/tools/Makevars" \
	  R CMD INSTALL $(if $(filter native,$(firstword $(STATCL_CPU_LEVELS))),--no-byte-compile) \
	  --library=$(LIBRARY) $(PACKAGE)) \
	  >build/install.log 2>&1 || \
	  { cat build/install.log; exit 1; }
	@touch $@

tarball:
	@mkdir -p build
	cd build && R CMD build ..

clean:
	rm -rf build
