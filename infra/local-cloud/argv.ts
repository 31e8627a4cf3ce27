import { parseArgs } from 'node:util'
import { error, messageOf } from '../../shared/errors/error.ts'

/** What `npm run cloud` is asked for. */
export interface CloudArgs {
  readonly help: boolean
  readonly deploy: string | undefined
  readonly stack: string
  readonly destroy: boolean
  readonly executors: string
  readonly apiPort: number
  readonly webhookPort: number
  readonly tidySeconds: number
  readonly killsPerMinute: number
  readonly verbose: boolean
}

/** The options, and what the help says of them. */
export const cloudHelp = `npm run cloud -- [options]

  --deploy <folder>        deploy the program of a folder, and end
  --destroy                with --deploy: remove again what it made
  --stack <name>           the stack of --deploy (dev)
  --api-port <n>           where the API listens (one that is free)
  --webhook-port <n>       where webhooks are taken (one that is free)
  --executors <n>          executors at once, at least two (3)
  --tidy-seconds <n>       between two calls of compaction (3600)
  --kills-per-minute <n>   kill functions by chance (0)
  --verbose                print what functions say, too
  --help                   print this`

/** The words of the command line. Throws CLI_USAGE. */
export function parseCloudArgs(args: readonly string[]): CloudArgs {
  const values = parseOptions(args)
  const { deploy, stack, destroy, executors, verbose, help } = values
  if (destroy && deploy === undefined)
    throw usageError('--destroy removes what --deploy made, and --deploy is not there')
  return {
    help,
    deploy,
    stack,
    destroy,
    executors,
    verbose,
    apiPort: parseBoundedNumber('api-port', values['api-port'], 0, 65_535),
    webhookPort: parseBoundedNumber('webhook-port', values['webhook-port'], 0, 65_535),
    tidySeconds: parseBoundedNumber('tidy-seconds', values['tidy-seconds'], 1, 86_400),
    killsPerMinute: parseBoundedNumber('kills-per-minute', values['kills-per-minute'], 0, 600),
  }
}

function parseOptions(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        deploy: { type: 'string' },
        stack: { type: 'string', default: 'dev' },
        destroy: { type: 'boolean', default: false },
        executors: { type: 'string', default: '3' },
        'api-port': { type: 'string', default: '0' },
        'webhook-port': { type: 'string', default: '0' },
        'tidy-seconds': { type: 'string', default: '3600' },
        'kills-per-minute': { type: 'string', default: '0' },
        verbose: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values
  } catch (thrown) {
    throw usageError(messageOf(thrown).split('. ')[0] ?? '')
  }
}

function parseBoundedNumber(name: string, text: string, least: number, most: number): number {
  if (/^\d+$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text)
  throw usageError(`--${name} takes a whole number from ${least} to ${most}, not '${text}'`)
}

function usageError(message: string): Error {
  return error('CLI_USAGE', message, { hint: '`npm run cloud -- --help` lists the options.' })
}
