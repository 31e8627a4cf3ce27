import type { Json, StoredDeployment, StoredResource } from './stored.ts'

/** A deployment of version 1 or 2 as one of version 3 (`state.md` 1.1). */
export function migrated(deployment: StoredDeployment, version: number): StoredDeployment {
  if (version >= 3) return deployment
  const upgrade = (resource: StoredResource): StoredResource =>
    withPropertyDependencies(version === 1 ? fromFirst(resource) : resource)
  return {
    ...deployment,
    ...(deployment.resources === undefined ? {} : { resources: deployment.resources.map(upgrade) }),
    ...(deployment.pending_operations === undefined
      ? {}
      : {
          pending_operations: deployment.pending_operations.map(({ resource, type }) => ({
            resource: upgrade(resource),
            type,
          })),
        }),
  }
}

function fromFirst(resource: StoredResource): StoredResource {
  const { defaults: _defaults, ...rest } = resource
  return rest as StoredResource
}

/** Every input depends on everything that the resource depends on: nothing better is known. */
function withPropertyDependencies(resource: StoredResource): StoredResource {
  const { inputs, dependencies } = resource
  if (typeof inputs !== 'object' || inputs === null) return resource
  const each: Json = dependencies ?? []
  return {
    ...resource,
    propertyDependencies: Object.fromEntries(Object.keys(inputs).map(key => [key, each])),
  }
}
