// Preloaded into servers whose memory is measured: SIGUSR2 collects garbage, so that resident memory means what lives.
process.on("SIGUSR2", () => globalThis.gc?.());
