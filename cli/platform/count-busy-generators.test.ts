import { expect, test } from 'vitest'
import { countBusyGenerators } from './count-busy-generators.ts'

const nowMs = Date.UTC(2026, 0, 1, 12)

test('the busiest of the last minutes counts, of the installation and its queue only', async () => {
  const inputs: unknown[] = []
  const send = async (command: { readonly input: unknown }): Promise<never> => {
    inputs.push(command.input)
    return { Datapoints: [{ Sum: 1 }, { Sum: 3 }, {}] } as never
  }
  expect(await countBusyGenerators({ send } as never, 'site', nowMs)).toBe(3)
  expect(inputs).toMatchObject([
    {
      MetricName: 'LongPoolBusy',
      Dimensions: [
        { Name: 'Installation', Value: 'site' },
        { Name: 'Queue', Value: 'nudges-long' },
      ],
      StartTime: new Date(nowMs - 300_000),
    },
  ])
})

test('an installation without a busy task, or a new one, has no data', async () => {
  const send = async (): Promise<never> => ({ Datapoints: [] }) as never
  expect(await countBusyGenerators({ send }, 'site', nowMs)).toBe(0)
})
