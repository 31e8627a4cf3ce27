import { type Command, Option } from 'commander'
import type { Flags } from './flags.ts'

/** Adds `--output`, with which Pulumi's newer commands select JSON. */
export function addOutputOption(command: Command): Command {
  return command.addOption(
    new Option('--output <format>', 'Output format').choices(['default', 'json']),
  )
}

/** Adds `--output`, with which an operation prints one summary instead of its events. */
export function addSummaryOption(command: Command): Command {
  return command.addOption(
    new Option('--output <format>', 'With json: print only a summary at the end, as one line')
      .choices(['default', 'json'])
      .conflicts('json'),
  )
}

/** Adds `--json`, and `--output` with the same effect. */
export function addJsonOptions(command: Command): Command {
  return addOutputOption(command.option('-j, --json', 'Print JSON'))
}

/** Reports whether a command prints JSON: with --json, or with --output json. */
export function isJsonOutput(flags: Pick<Flags, 'isSet' | 'text'>): boolean {
  return flags.isSet('json') || flags.text('output') === 'json'
}
