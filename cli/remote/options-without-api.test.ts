import { Command } from 'commander'
import { expect, test } from 'vitest'
import { collectValues, flagsOf } from '../arguments/flags.ts'
import { refuseLocalOptions } from './options-without-api.ts'

function refuse(...commandArguments: readonly string[]): void {
  const command = new Command('up')
    .option('--strict')
    .option('--save-plan <file>')
    .option('--policy-pack <path>', '', collectValues)
    .option('--execute <place>')
    .option('--target <urn>', '', collectValues)
  refuseLocalOptions(flagsOf(command.parse(commandArguments, { from: 'user' })))
}

test.each([
  ['an unsupported switch', ['--strict'], '--strict'],
  ['an unsupported option with a text', ['--save-plan', 'plan.json'], '--save-plan'],
  ['an unsupported list', ['--policy-pack', 'pack'], '--policy-pack'],
  [
    'the unsupported value of a supported option',
    ['--execute', 'elsewhere'],
    '--execute elsewhere',
  ],
])('%s is refused, and the message names it', (_, commandArguments, option) => {
  expect(() => refuse(...commandArguments)).toThrowError(
    expect.objectContaining({
      code: 'FEATURE_MISSING',
      message: expect.stringContaining(`the API does not support ${option} yet`),
    }),
  )
})

test('other options and other values are not refused', () => {
  expect(() => refuse('--execute', 'here', '--target', 'urn:a')).not.toThrow()
})
