import { ResourceOptions } from '../../../proto/gen/pulumi/resource.ts'
import type { ResourceState } from '../../state/resource.ts'
import { formatDuration } from './duration.ts'

/**
 * Returns the options of a resource for hooks, from its state. Source:
 * docs/spec/monitor.md#callbacks-service.
 */
export function optionsOfState(state: ResourceState): ResourceOptions {
  const { customTimeouts: timeouts, resourceHooks: hooks } = state
  const namesOf = (hookType: string): string[] => [...(hooks.get(hookType) ?? [])]
  const toDurationText = (seconds = 0): string => formatDuration(seconds)
  return ResourceOptions.create({
    dependsOn: [...state.dependencies],
    protect: state.protect,
    ignoreChanges: [...state.ignoreChanges],
    replaceOnChanges: [...state.replaceOnChanges],
    aliases: state.aliases.map(value => ({ alias: { $case: 'urn', value } })),
    provider: state.provider,
    ...(Object.keys(timeouts).length === 0
      ? {}
      : {
          customTimeouts: {
            create: toDurationText(timeouts.create),
            update: toDurationText(timeouts.update),
            delete: toDurationText(timeouts.delete),
            read: toDurationText(timeouts.read),
          },
        }),
    retainOnDelete: state.retainOnDelete,
    deletedWith: state.deletedWith,
    additionalSecretOutputs: [...state.additionalSecretOutputs],
    ...(hooks.size === 0
      ? {}
      : {
          hooks: {
            beforeCreate: namesOf('BeforeCreate'),
            afterCreate: namesOf('AfterCreate'),
            beforeUpdate: namesOf('BeforeUpdate'),
            afterUpdate: namesOf('AfterUpdate'),
            beforeDelete: namesOf('BeforeDelete'),
            afterDelete: namesOf('AfterDelete'),
            onError: namesOf('OnError'),
          },
        }),
    import: state.importID,
    hideDiff: [...state.hideDiff],
    replaceWith: [...state.replaceWith],
    parent: state.parent,
  })
}
