import { expect, test } from 'vitest'
import { cloudHelp, parseCloudArgs } from '../../infra/local-cloud/argv.ts'

test('without arguments all options have their defaults, and arguments replace them', () => {
  expect(parseCloudArgs([])).toEqual({
    help: false,
    deploy: undefined,
    stack: 'dev',
    destroy: false,
    executors: '3',
    apiPort: 0,
    servicePort: 0,
    webhookPort: 0,
    tidySeconds: 3600,
    killsPerMinute: 0,
    verbose: false,
  })
  expect(parseCloudArgs(['--help']).help).toBe(true)
  const { deploy, destroy } = parseCloudArgs(['--deploy', 'there', '--destroy'])
  expect([deploy, destroy]).toEqual(['there', true])
})

test.each([
  [['--api-port', 'abc'], /--api-port must be a whole number from 0 to 65535, not 'abc'/],
  [['--webhook-port', '99999'], /--webhook-port must be/],
  [['--tidy-seconds', '0'], /--tidy-seconds must be a whole number from 1/],
  [['--kills-per-minute', '-1'], /--kills-per-minute/],
  [['--bogus'], /Unknown option '--bogus'$/],
  [['extra'], /Unexpected argument 'extra'/],
  [['--destroy'], /--destroy requires --deploy/],
])('%j is refused with a hint', (args, message) => {
  const hint = '`npm run cloud -- --help` lists the options.'
  const refused = { code: 'CLI_USAGE', hint, message: expect.stringMatching(message) }
  expect(() => parseCloudArgs(args)).toThrow(expect.objectContaining(refused))
})

test('the help names every option', () => {
  for (const name of Object.keys(parseCloudArgs([]))) {
    const option = name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
    expect(cloudHelp).toContain(`--${option}`)
  }
})
