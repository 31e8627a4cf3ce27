import { expect, test } from 'vitest'
import { renderResults } from './render-table.ts'

const measurement = (seconds: readonly number[], peakMib: number, cpuSeconds = 1) => ({
  seconds: [...seconds],
  cpuSeconds: [cpuSeconds],
  engineCpuSeconds: [cpuSeconds],
  peakMib,
})

const conditions = {
  machine: '2 x one processor',
  cores: 2,
  repetitions: 3,
  load: 1,
  date: '2026-11-26',
}

test('renderResults compares each command with the fastest peer and with its own goals, and groups workloads by conditions', () => {
  const table = renderResults({
    node: '24.0.0',
    versions: { antichain: '0.1.0', pulumi: '3.0.0' },
    lines: [
      {
        name: '1,000 dynamic resources',
        ...conditions,
        phases: {
          create: { antichain: measurement([9, 8, 7], 300), pulumi: measurement([80], 200) },
          'no-op': { antichain: measurement([8], 300), pulumi: measurement([9], 200) },
        },
      },
      {
        name: '10,000 plain resources',
        ...conditions,
        phases: {
          create: { antichain: measurement([44], 390, 20), 'null engine': measurement([40], 0) },
          destroy: { antichain: measurement([9], 390) },
        },
      },
      {
        name: '100 layers of 100, the same',
        ...conditions,
        load: 2,
        phases: { destroy: { antichain: measurement([16], 390, 22) } },
      },
      {
        name: '1,000 resources of a Terraform provider',
        ...conditions,
        phases: {
          create: {
            antichain: measurement([8], 300),
            tofu: measurement([4], 100),
            terraform: measurement([5], 100),
          },
          destroy: { antichain: measurement([3], 300), tofu: measurement([6], 100) },
        },
      },
      {
        name: '100,000 resources, Go',
        ...conditions,
        phases: { create: { antichain: { ...measurement([200], 900), delayP99Ms: 120 } } },
      },
    ],
  })
  const [, , ...rows] = table.split('\n')
  const nullEngineGoal = '1.2 times the null engine: met (1.1)'
  expect(rows.slice(0, 8)).toEqual([
    '| 1,000 dynamic resources | create | 8.0 | 80.0 | 10.0 | 7 times: met | 300 | 1.00 |',
    '| 1,000 dynamic resources | no-op | 8.0 | 9.0 | 1.1 | 1.7 times: not met | 300 | 1.00 |',
    `| 10,000 plain resources | create | 44.0 |  |  | ${nullEngineGoal}; 400 MiB: met; 1.5 ms for each: not met | 390 | 2.00 |`,
    '| 10,000 plain resources | destroy | 9.0 |  |  | 8 s: not met; 400 MiB: met; 0.5 ms for each: met | 390 | 0.10 |',
    '| 1,000 resources of a Terraform provider | create | 8.0 | tofu 4.0, terraform 5.0 | 0.5 |  | 300 | 1.00 |',
    '| 1,000 resources of a Terraform provider | destroy | 3.0 | 6.0 | 2.0 |  | 300 | 1.00 |',
    '| 100 layers of 100, the same | destroy | 16.0 |  |  | 16.5 s: met | 390 | 2.20 |',
    '| 100,000 resources, Go | create | 200.0 |  |  | 1024 MiB: met; 100 ms of delay: not met (120.0) | 900 | 0.01 |',
  ])
  expect(rows.slice(-7)).toEqual([
    '- 3, load 1, 2026-11-26, 2 x one processor:',
    '    - 1,000 dynamic resources',
    '    - 10,000 plain resources',
    '    - 1,000 resources of a Terraform provider',
    '    - 100,000 resources, Go',
    '- 3, load 2, 2026-11-26, 2 x one processor:',
    '    - 100 layers of 100, the same',
  ])
})
