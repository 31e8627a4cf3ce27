import { afterAll, test } from 'vitest'
import { runRound } from './round.ts'
import { drawRounds, type RoundResult, describeRound } from './rounds.ts'

/** ANTICHAIN_SEED repeats the kills of an earlier run. The test names contain the seed. */
const seed = Number(process.env['ANTICHAIN_SEED'] ?? Date.now() % 2 ** 31)
const count = Number(process.env['ANTICHAIN_ROUNDS'] ?? 50)

const results: RoundResult[] = []

test.each(
  drawRounds(seed, count).map(
    (round, index) => [`round ${index} of seed ${seed}: ${describeRound(round)}`, round] as const,
  ),
)(
  '%s',
  async (_title, round) => {
    results.push(await runRound(round))
  },
  240_000,
)

afterAll(() => {
  const kills = results.flatMap(result => result.kills)
  const countKillsOf = (target: string): number => kills.filter(killed => killed === target).length
  const sumOf = (countOf: (result: RoundResult) => number): number =>
    results.reduce((total, result) => total + countOf(result), 0)
  console.log(
    `seed ${seed}: ${results.length} of ${count} rounds passed; killed: ${countKillsOf('generator')} generators, ${countKillsOf('executor')} executors, ${countKillsOf('all')} times all; ${sumOf(({ unknownCreates }) => unknownCreates)} unknown creates, ${sumOf(({ repeatedCalls }) => repeatedCalls)} repeated updates or deletes`,
  )
})
