import { expect } from 'vitest'

/**
 * The results that a program prints after it has driven a stack with the Automation API. They are
 * equal for all languages.
 */
export const automationResults = {
  missingStack: 'not found',
  config: {
    'inline:password': { value: 'swordfish', secret: true },
    'inline:plain': { value: 'p', secret: false },
  },
  preview: { create: 2 },
  up: {
    result: 'succeeded',
    changes: { create: 2 },
    outputs: { value: { value: 'one', secret: false }, secret: { value: 'p', secret: true } },
  },
  update: { same: 1, update: 1 },
  refresh: 'succeeded',
  thrown: expect.stringContaining('thrown by the program'),
  resourceCount: 3,
  history: ['update failed', 'refresh succeeded', 'update succeeded', 'update succeeded'],
  destroy: 'succeeded',
}
