import { expect, test } from 'vitest'
import { countBusyGenerators } from './count-busy-generators.ts'

const nowMs = Date.UTC(2026, 0, 1, 12)

test('the count is the maximum of the last five minutes, for the long pool of this installation only', async () => {
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

test('the count is 0 if there is no data, as for a new installation', async () => {
  const send = async (): Promise<never> => ({ Datapoints: [] }) as never
  expect(await countBusyGenerators({ send }, 'site', nowMs)).toBe(0)
})
