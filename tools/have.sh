# What this machine has, for scripts that source it. Ordinary users may lack the folder of ldconfig in PATH.
PATH="$PATH:/usr/sbin:/sbin"
have() { command -v "$1" >/dev/null 2>&1; }
have_r_package() {
  have Rscript && Rscript -e "quit(status = !requireNamespace('$1', quietly = TRUE))" >/dev/null 2>&1
}
have_opencl() { # a loader and PoCL, the driver that every machine can have
  ldconfig -p 2>/dev/null | grep -q 'libOpenCL\.so\.1' &&
    [ -n "$(find /etc/OpenCL/vendors -iname '*pocl*.icd' 2>/dev/null)" ]
}
have_mpfr() { echo '#include <mpfr.h>' | cc -E - >/dev/null 2>&1; }
have_sanitizers() { echo 'int main(void) { return 0; }' | clang -fsanitize=address -x c - -o /dev/null 2>/dev/null; }
