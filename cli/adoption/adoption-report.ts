import { formatWithNoun } from '../display/format-with-noun.ts'
import {
  type AdoptedInstance,
  formatObjectAddress,
  type SkippedPart,
} from '../../shared/providers/terraform/adoption/adopt-instances.ts'

/** The result of an adoption, which adds the objects of a Terraform state to a stack. */
export interface AdoptionReport {
  readonly stack: string
  /** The path of the Terraform state. */
  readonly file: string
  /** The objects that the adoption adds to the stack. */
  readonly adopted: readonly AdoptedInstance[]
  /** The objects that the stack has already. */
  readonly existing: readonly AdoptedInstance[]
  readonly skipped: readonly SkippedPart[]
}

/** Formats a report as JSON. */
export function formatReportJson(report: AdoptionReport): string {
  const { stack, file, skipped } = report
  const json = {
    stack,
    file,
    adopted: report.adopted.map(toJson),
    existing: report.existing.map(toJson),
    skipped,
  }
  return JSON.stringify(json, undefined, 2)
}

function toJson({ instance, state }: AdoptedInstance): Readonly<Record<string, unknown>> {
  return {
    address: instance.address,
    urn: state.urn,
    id: state.id,
    ...(state.taint ? { tainted: true } : {}),
    ...(instance.deposedKey === undefined ? {} : { deposed: instance.deposedKey }),
  }
}

/** Formats a report as lines: each address with its URN, and each skipped part with its reason. */
export function formatReportLines(report: AdoptionReport): readonly string[] {
  const { adopted, existing, skipped, stack, file } = report
  return [
    `Adopting ${formatWithNoun(adopted.length, 'object')} of ${file} into stack ${stack}`,
    ...formatSection('Adopted', adopted.map(formatInstance)),
    ...formatSection('In the stack already', existing.map(formatInstance)),
    ...formatSection(
      'Not adopted',
      skipped.map(({ address, kind, reason }) => [address, `${kind}: ${reason}`] as const),
    ),
    '',
  ]
}

function formatInstance({ instance, state }: AdoptedInstance): readonly [string, string] {
  const taintText = state.taint ? ' (tainted: the next deployment replaces it)' : ''
  const address = formatObjectAddress(instance)
  return [address, `${state.urn}${taintText}`]
}

function formatSection(
  title: string,
  rows: readonly (readonly [address: string, text: string])[],
): readonly string[] {
  if (rows.length === 0) return []
  const width = Math.max(...rows.map(([address]) => address.length))
  return ['', `${title}:`, ...rows.map(([address, text]) => `  ${address.padEnd(width)}  ${text}`)]
}
