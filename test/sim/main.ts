import { parseArgs } from 'node:util'
import { drawSeed, judge } from './seed.ts'
const { values } = parseArgs({
  options: { seeds: { type: 'string' }, seed: { type: 'string' }, from: { type: 'string' } },
})
const from = Number(values.seed ?? values.from ?? 1)
const count = values.seed ? 1 : Number(values.seeds ?? 10)
let unknowable = 0,
  bad = 0,
  ticks = 0
process.on('unhandledRejection', e => {
  console.log('UNHANDLED', e)
})
const began = performance.now()
const counts = new Map<string, number>()
for (let s = from; s < from + count; s += 1) {
  const seed = await drawSeed(s)
  const j = await judge(s, seed)
  ticks += j.ticks + seed.calm.ticks
  if (j.isUnknowable) unknowable += 1
  for (const [k, v] of j.counts) counts.set(k, (counts.get(k) ?? 0) + v)
  if (j.violations.length > 0) {
    bad += 1
    console.log(`seed ${s}: ${j.violations.length}: ${j.violations[0]}`.slice(0, 700))
    if (values.seed) {
      console.log(j.lines.slice(-Number(process.env['TAIL'] ?? 150)).join('\n'))
      console.log(JSON.stringify(j.faults))
      for (const v of j.violations) console.log('V', v)
    }
  }
}
const took = (performance.now() - began) / 1000
console.log({ count, bad, unknowable, perSecond: count / took, ticksPerSeed: ticks / count })
if (process.env['COUNTS'])
  console.log(
    [...counts]
      .sort()
      .map(([k, v]) => `${k}: ${v}`)
      .join('\n'),
  )
