/** Rounds of randomly drawn kills in the local cloud, several rounds at the same time. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CloudBundles, createBundles } from './cloud-bundles.ts'
import {
  type CloudRound,
  type CloudRoundResult,
  drawCloudRounds,
  runCloudRound,
  describeCloudRound,
} from './cloud-rounds.ts'
import { describeWithServices } from './describe-with-services.ts'

/** ANTICHAIN_SEED repeats the kills of an earlier run. The test names contain the seed. */
const seed = Number(process.env['ANTICHAIN_SEED'] ?? Date.now() % 2 ** 31)
const count = Number(process.env['ANTICHAIN_CLOUD_ROUNDS'] ?? 20)
/** Number of rounds at the same time. A round mostly waits until a dead process is detected. */
const atOnce = 3

const rounds = drawCloudRounds(seed, count)
const groups = Array.from({ length: Math.ceil(count / atOnce) }, (_, index) =>
  rounds.slice(index * atOnce, (index + 1) * atOnce),
)
const results: CloudRoundResult[] = []

describeWithServices('rounds in the local cloud', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
  let bundles: CloudBundles
  beforeAll(async () => {
    bundles = await createBundles()
  })
  afterAll(() => bundles?.remove())

  test.each(
    groups.map((group, index) => [index, group.map(describeCloudRound).join('; '), group] as const),
  )(
    `group ${'%i'} of the rounds of seed ${seed}: %s`,
    { timeout: 3_600_000 },
    async (_index, _description, group: readonly CloudRound[]) => {
      const run = (round: CloudRound) =>
        runCloudRound(round, { aws: settings(), bundleOf: bundles.findBundle })
      const ended = await Promise.allSettled(group.map(run))
      for (const settled of ended) if (settled.status === 'fulfilled') results.push(settled.value)
      expect(
        ended.flatMap(settled => (settled.status === 'rejected' ? [settled.reason] : [])),
      ).toEqual([])
    },
  )

  test('kill a process of each kind', () => {
    const kills = new Set(results.flatMap(result => result.kills))
    if (count < 20) expect(kills.size).toBeGreaterThan(0)
    else expect([...kills].sort()).toEqual(['compaction', 'step-executor', 'step-generator'])
  })
})

afterAll(() => {
  const kills = results.flatMap(result => result.kills)
  const countKillsOf = (name: string): number => kills.filter(killed => killed === name).length
  const sumOf = (countOf: (result: CloudRoundResult) => number): number =>
    results.reduce((total, result) => total + countOf(result), 0)
  console.log(
    `seed ${seed}: ${results.length} of ${count} rounds went well; ` +
      `killed: ${countKillsOf('step-generator')} generators, ${countKillsOf('step-executor')} executors, ` +
      `${countKillsOf('compaction')} compactions, ${sumOf(({ timedOutCalls }) => timedOutCalls)} calls ended by their time limit; ` +
      `${sumOf(({ unknownCreates }) => unknownCreates)} creates unknown, ` +
      `${sumOf(({ repeatedCalls }) => repeatedCalls)} updates or deletes repeated; seconds: ` +
      results.map(({ seconds }) => seconds).join(', '),
  )
})
