// The seed of this test run. `make test` uses a fixed seed, `make test-all` a random one. `npm test -- FILE --seed=N` repeats a run.
export const testSeed = Number(process.env.TEST_SEED ?? 1)
