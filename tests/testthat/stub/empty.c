/* empty.c: a library that is no OpenCL loader, for test-device.R. */
int statcl_test_empty(void);
int statcl_test_empty(void) { return 0; }
