import { nameOf, type Urn } from '../../shared/names/urn.ts'
import type { StackRecord } from '../../shared/ports/catalog.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import { readTextField } from '../../shared/state/stored-fields.ts'
import type { Json, StoredDeployment, StoredResource } from '../../shared/state/stored.ts'

/** The parts of a stack that its JSON shows. */
export interface StackParts {
  readonly record: Pick<StackRecord, 'id' | 'version' | 'current'>
  /** The address of the API or backend that has the stack, or `local`. */
  readonly backend: string
  readonly tags: Readonly<Record<string, string>>
  readonly state: StoredDeployment | undefined
  readonly outputs: ReadonlyMap<string, Json>
}

/**
 * Returns a stack in the format of `stack --output json`. Source: the type `stackJSONEnvelope` in
 * cmd/pulumi/stack/stack_json.go of Pulumi 3.274.1.
 */
export function describeStack({ record, backend, tags, state, outputs }: StackParts): object {
  const { project, stack } = stackPartsOf(record.id)
  const { manifest, secrets_providers: manager } = state ?? {}
  return {
    organization: 'organization',
    project,
    stack,
    backend,
    version: record.version,
    ...(record.current === '' ? {} : { activeUpdate: record.current }),
    tags,
    ...(manifest === undefined
      ? {}
      : { manifest: { time: manifest.time, pulumiVersion: manifest.version } }),
    ...(manager === undefined ? {} : { secretsProvider: manager }),
    resources: (state?.resources ?? []).map(describeResource),
    outputs: Object.fromEntries(outputs),
  }
}

function describeResource(resource: StoredResource): object {
  const { urn, type } = resource
  const [id, parent] = [readTextField(resource, 'id'), readTextField(resource, 'parent')]
  return {
    urn,
    type,
    name: nameOf(urn as Urn),
    ...(id === '' ? {} : { id }),
    ...(parent === '' ? {} : { parent }),
  }
}
