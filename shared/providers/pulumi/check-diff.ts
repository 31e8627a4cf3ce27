import {
  CheckRequest,
  CheckRequest_AutonamingOptions_Mode as Mode,
  DiffRequest,
  type DiffResponse,
  type PropertyDiff as WireDiff,
  ResourceProviderService as service,
} from '../../../proto/gen/pulumi/provider.ts'
import { emptyMap, type PropertyMap } from '../../values/value.ts'
import type { NameProposal } from '../../names/automatic-name.ts'
import type { DiffResult, PropertyDiff, Provider } from '../provider.ts'
import { localError } from './errors.ts'
import { receiving, sending } from './options.ts'
import { remarkSecrets } from '../../values/walk.ts'
import { ask, nameOfMethod, received, type Session, sent } from './session.ts'

type Ask<M extends keyof Provider> = Provider[M] extends (ask: infer Q) => unknown ? Q : never

/** Check. An unconfigured provider takes everything as it is. */
export async function check(session: Session, asked: Ask<'check'>): ReturnType<Provider['check']> {
  const method = service.check
  const abilities = await session.ready()
  const { news, allowUnknowns } = asked
  if (session.isUnconfigured()) return { inputs: news, failures: [] }
  const options = sending(abilities, { unknowns: allowUnknowns })
  const request = CheckRequest.create({
    urn: asked.urn,
    name: asked.name,
    type: asked.type,
    // Never absent: providers written in Node end at an absent one.
    olds: sent(session, method, { map: asked.olds ?? emptyMap, options }),
    news: sent(session, method, { map: news, options }),
    randomSeed: asked.randomSeed,
    autonaming: abilities.naming ? autonamingOf(asked.naming) : undefined,
  })
  const { inputs, failures } = await ask(session, method, { request })
  const read = received(session, method, {
    struct: inputs,
    options: receiving({ unknowns: allowUnknowns }),
  })
  const isNameUntold = asked.naming !== undefined && !abilities.naming
  return {
    inputs: abilities.secrets ? read : remarkSecrets(news, read),
    failures,
    ...(isNameUntold ? { isNameUntold } : {}),
  }
}

const modes = { propose: Mode.PROPOSE, enforce: Mode.ENFORCE, disable: Mode.DISABLE }

function autonamingOf(naming: NameProposal | undefined): CheckRequest['autonaming'] {
  if (naming === undefined) return undefined
  return { proposedName: naming.name, mode: modes[naming.mode] }
}

/** Diff. An unconfigured provider cannot tell, which counts as some change. */
export async function diff(session: Session, asked: Ask<'diff'>): ReturnType<Provider['diff']> {
  const method = service.diff
  const abilities = await session.ready()
  if (session.isUnconfigured()) return { ...unknownDiff, changes: 'some' }
  const options = sending(abilities, { unknowns: asked.allowUnknowns, old: true })
  const write = (map: PropertyMap): Record<string, unknown> =>
    sent(session, method, { map, options })
  const request = DiffRequest.create({
    id: asked.id,
    urn: asked.urn,
    name: asked.name,
    type: asked.type,
    oldInputs: write(asked.oldInputs),
    olds: write(asked.oldOutputs),
    news: write(asked.newInputs),
    ignoreChanges: [...asked.ignoreChanges],
  })
  return diffOf(session, method, await ask(session, method, { request }))
}

/** The answer of a provider that does not know. */
export const unknownDiff: DiffResult = {
  changes: 'unknown',
  replaceKeys: [],
  stableKeys: [],
  changedKeys: [],
  detailedDiff: null,
  deleteBeforeReplace: false,
}

const changes = ['unknown', 'none', 'some'] as const

const kinds = [
  'add',
  'add-replace',
  'delete',
  'delete-replace',
  'update',
  'update-replace',
] as const

/**
 * Reads an answer of Diff or DiffConfig. Throws ProviderError for a verdict that does not exist.
 */
export function diffOf(
  session: Session,
  method: { readonly path: string },
  answer: DiffResponse,
): DiffResult {
  const verdict = changes[answer.changes]
  if (verdict === undefined)
    throw localError(
      `provider '${session.connection.name}' answered ${nameOfMethod(method)} ` +
        `with the verdict ${answer.changes}, which does not exist`,
      { status: 'unknown' },
    )
  return {
    changes: verdict,
    replaceKeys: answer.replaces,
    stableKeys: answer.stables,
    changedKeys: answer.diffs,
    detailedDiff: answer.hasDetailedDiff ? detailedOf(answer) : null,
    deleteBeforeReplace: answer.deleteBeforeReplace,
  }
}

function detailedOf(answer: DiffResponse): ReadonlyMap<string, PropertyDiff> {
  const detailed = new Map<string, PropertyDiff>()
  for (const [path, diff] of answer.detailedDiff) detailed.set(path, propertyDiffOf(diff))
  return detailed
}

/** Reads what became of one property; a kind that does not exist counts as an update. */
export function propertyDiffOf({ kind, inputDiff }: WireDiff): PropertyDiff {
  return { kind: kinds[kind] ?? 'update', inputDiff }
}
