import { describe, expect, test } from 'vitest'
import { createError } from '../../errors/error.ts'
import { retryStart } from './retry-start.ts'

const createFailure = (): Error =>
  createError('PLUGIN_FAILED', "plugin 'p' failed with exit code 1")

describe('a plugin that fails to start', () => {
  test('is started again, and this is reported', async () => {
    const messages: string[] = []
    let tries = 0
    const start = async (): Promise<string> => {
      tries += 1
      if (tries < 3) throw createFailure()
      return 'running'
    }
    const options = { shouldRetry: () => true, report: (text: string) => void messages.push(text) }
    expect(await retryStart(start, options)).toBe('running')
    expect(messages).toEqual([
      "plugin 'p' failed with exit code 1; it is started again",
      "plugin 'p' failed with exit code 1; it is started again",
    ])
  })

  test('fails after three starts', async () => {
    let tries = 0
    const start = (): Promise<never> => {
      tries += 1
      return Promise.reject(createFailure())
    }
    const options = { shouldRetry: () => true, report: () => undefined }
    await expect(retryStart(start, options)).rejects.toMatchObject({ code: 'PLUGIN_FAILED' })
    expect(tries).toBe(3)
  })

  test.each([
    ['when all plugins are being ended', createFailure(), false],
    ['when it cannot be run at all', createError('FEATURE_MISSING', 'source code'), true],
  ])('is not started again %s', async (_when, thrown, shouldRetry) => {
    let tries = 0
    const start = (): Promise<never> => {
      tries += 1
      return Promise.reject(thrown)
    }
    const options = { shouldRetry: () => shouldRetry, report: () => undefined }
    await expect(retryStart(start, options)).rejects.toBe(thrown)
    expect(tries).toBe(1)
  })
})
