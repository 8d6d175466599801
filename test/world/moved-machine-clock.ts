/** Loaded with `--import`: the clock of this process is ahead of the real one by the environment's MACHINE_AHEAD_MS. */
const RealDate = Date
const aheadMs = Number(process.env['MACHINE_AHEAD_MS'])

function now(): number {
  return RealDate.now() + aheadMs
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as object,
  get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
})
