import type { Command } from 'commander'

/** A command line without `antichain`, and its purpose. */
type Example = readonly [args: string, purpose: string]

/** The examples of the main commands, by the path of the command, such as `stack init`. */
const examples: Readonly<Record<string, readonly Example[]>> = {
  '': [
    ['stack init dev', 'Create a stack in a project folder'],
    ['up', 'Deploy it'],
    ['stack output', 'Show its outputs'],
    ['destroy --remove', 'Delete its resources and the stack'],
  ],
  new: [
    ['new typescript --dir app', 'Create a project in a new folder'],
    ['new python --dir app --yes', 'Create it without prompts'],
    ['new ../template --generate-only', 'Write the files of a template folder only'],
  ],
  up: [
    ['up', 'Preview, confirm, deploy'],
    ['up --yes', 'Preview and deploy without a prompt'],
    ['up --yes --skip-preview --json', 'Deploy in CI and print engine events'],
    ["up --target '**::my-bucket'", 'Deploy one resource only'],
    ['up --plan plan.json', 'Deploy only what a saved plan allows'],
  ],
  watch: [
    ['watch', 'Deploy whenever a file of the program changes'],
    ['watch --path . --path ../shared', 'Also watch a folder beside the project'],
  ],
  preview: [
    ['preview --diff', 'Show each changed property'],
    ['preview --json', 'Print the preview as one JSON document'],
    ['preview --expect-no-changes', 'Fail if the program and the state differ'],
    ['preview --save-plan plan.json', 'Save a plan for `antichain up --plan`'],
    ['preview --import-file found.json', 'Draft a file for `antichain import`'],
  ],
  refresh: [
    ['refresh', 'Record changes made outside of antichain'],
    ['refresh --preview-only', 'Show drift without recording it'],
    ['refresh --preview-only --expect-no-changes', 'Fail if there is drift'],
    ['refresh --clear-pending-creates', 'Drop creates that did not take place'],
  ],
  destroy: [
    ['destroy', 'Preview, confirm, delete all resources'],
    ['destroy --preview-only', 'Show the resources that would be deleted'],
    ['destroy --exclude-protected', 'Keep protected resources'],
    ['destroy --yes --remove', 'Delete the resources and the stack'],
  ],
  resume: [
    ['resume', 'Continue after a crash or a kill'],
    ['resume --stack prod --diff', 'Continue another stack, with changed properties'],
  ],
  serve: [
    ['serve', 'Resume deployments, run schedules'],
    ['serve --port 8080', 'Also serve the API and webhooks on loopback'],
    ['serve --only executor', 'Run operations of `up --execute elsewhere`'],
  ],
  cancel: [
    ['cancel', 'Stop after the running operations'],
    ['cancel --force', 'Abandon them; their results stay unknown'],
  ],
  redrive: [
    ['redrive', 'Retry operations of the selected stack'],
    ['redrive prod', 'Retry operations of another stack'],
  ],
  import: [
    ['import aws:s3/bucket:Bucket logs my-logs-bucket', 'Import one resource'],
    ['import --file found.json --out imported.ts', 'Import many, save the code'],
    ['import --file found.json --preview-only', 'Check the file only'],
    ['import --from terraform ../infra', 'Adopt the objects of a Terraform state'],
  ],
  'stack init': [
    ['stack init dev', 'Create a stack and select it'],
    ["stack init prod --secrets-provider 'awskms://alias/pulumi'", 'Encrypt with a key of AWS KMS'],
  ],
  'stack change-secrets-provider': [
    ["stack change-secrets-provider 'awskms://alias/pulumi'", 'Encrypt with a key of AWS KMS'],
    ['stack change-secrets-provider passphrase', 'Encrypt with a passphrase'],
  ],
  'stack migrate': [
    ['stack migrate s3://acme-state prod', 'Copy a stack of a bucket with its history'],
    ['stack migrate file://~ web/dev --target shop/test', 'Copy it under another name'],
  ],
  'stack schedule new': [
    ["stack schedule new --kind drift --cron '0 */4 * * *'", 'Detect drift every four hours'],
    ['stack schedule new --kind ttl --once 2027-01-31T04:00:00Z', 'Destroy once at a time'],
  ],
  'stack webhook new': [
    [
      'stack webhook new --name ops --url https://example.com/hook --event update_failed',
      'Report failed updates',
    ],
  ],
  'stack ls': [
    ['stack ls', 'List the stacks of this project'],
    ['stack ls --all --json', 'List all stacks as JSON'],
  ],
  'stack export': [
    ['stack export --file state.json', 'Save the state, with sealed secrets'],
    ['stack export --version 3', 'Print an earlier version'],
    ['stack export --at 4:17', 'Print the state in the middle of deployment 4'],
  ],
  'stack import': [
    ['stack import --file state.json', 'Restore a saved state'],
    ['stack import < exported.json', 'Take over a stack that Pulumi exported'],
  ],
  'deployment approve': [
    ['deployment approve <request> --note "checked"', 'Approve the plan of a request'],
  ],
  'stack approval': [
    ['stack approval --require up,destroy', 'Let both commands wait for an approval'],
    ['stack approval --require none', 'Let no command wait'],
  ],
  'deployment show': [
    ['deployment show', 'Show where the time of the last deployment went'],
    ['deployment show 4 --json', 'Print the same of deployment 4 as JSON'],
  ],
  'platform export': [
    ['platform export all.tar.gz', 'Export all stacks to an archive'],
    ['platform export backup/', 'Export all stacks to a new folder'],
  ],
  'platform import': [
    ['platform import all.tar.gz --preview', 'List what would be imported, and conflicts'],
    ['platform import all.tar.gz --yes', 'Import all stacks that do not exist here'],
  ],
  'deployment cost': [
    ['deployment cost', 'Show what the last deployment cost on AWS'],
    ['deployment cost 4 --json', 'Print the cost of deployment 4 as JSON'],
  ],
  'stack history': [
    ['stack history --page-size 20', 'List the last 20 deployments'],
    ['stack history --show 4', 'Show deployment 4 and its moments'],
  ],
  'stack graph': [
    ['stack graph graph.dot --short-node-name', 'Write the dependency graph with short names'],
  ],
  'state edit': [["state edit --editor 'code --wait'", 'Edit the state in an editor']],
  'stack diff': [
    ['stack diff', 'Show the changes of the last version'],
    ['stack diff 3 5', 'Compare two versions'],
    ['stack diff 4:17 2026-01-31T12:00Z', 'Compare a moment with a time'],
  ],
  'stack rollback': [['stack rollback --to 3', 'Return to the state of version 3']],
  'stack output': [
    ['stack output url', 'Print one output'],
    ['stack output --shell', 'Print all outputs as shell variables'],
  ],
  query: [
    ["query 'select type, count(*) from resources group by 1'", 'Count the resources by type'],
    ['query "select stack, urn from search where search match \'logs\'"', 'Search all stacks'],
    ["query 'select * from drift' --json", 'List refreshes that found changes'],
  ],
  'config set': [
    ['config set aws:region eu-central-1', 'Set a plain value'],
    ['config set --secret dbPassword', 'Prompt for a secret value'],
    ['config set --secret tlsKey < key.pem', 'Read a secret from standard input'],
    ["config set --path 'zones[0]' a", 'Set an item of a list'],
  ],
  'config cp': [
    ['config cp --dest prod', 'Copy all values to another stack'],
    ['config cp dbPassword --dest prod', 'Copy one secret, encrypted for that stack'],
  ],
  'package add': [
    ['package add terraform-provider hashicorp/random 3.6.3', 'Add a Terraform provider'],
    ['package add terraform-provider ./terraform-provider-x', 'Add a local one'],
    ['package add ./schema.json --language nodejs', 'Add the package of a schema'],
  ],
  'package gen-sdk': [
    ['package gen-sdk ./schema.json --language python', 'Generate ./sdk/python'],
    ['package gen-sdk terraform-provider hashicorp/random --out sdks', 'Generate all SDKs'],
  ],
  'package get-schema': [
    ['package get-schema terraform-provider hashicorp/random', 'Print the types of a provider'],
  ],
  'state delete': [
    ["state delete '<urn>'", 'Forget a resource, keep it at its provider'],
    ['state delete --all', 'Forget all resources'],
  ],
  'state move': [["state move '<urn>' --dest prod", 'Move a resource to another stack']],
  'state promote': [['state promote logs', 'Print the code of a snippet, and remove the snippet']],
  'state pending import': [
    ["state pending import '<urn>' db-1234", 'The create succeeded: add its resource'],
  ],
  'state pending clear': [
    ["state pending clear '<urn>'", 'The operation had no effect: remove it'],
  ],
  'webhook create': [
    ['webhook create main --rules rules.yaml', 'Accept deliveries of GitHub'],
    ['webhook create ci --form signed --rules rules.json', 'Accept deliveries that you sign'],
  ],
  'schedule create': [
    ["schedule create drift --when '0 4 * * *' --zone Europe/Paris", 'Detect drift each night'],
    [
      "schedule create drift --all --when '0 2 * * *' --jitter 7200 --skip-read-within 60",
      'Detect drift of all stacks, spread over two hours',
    ],
    ["schedule create heal --when 'rate(1 hour)' --remediate", 'Detect and correct drift'],
  ],
  'policy attach': [
    ['policy attach policies -s shop/dev -s shop/prod', 'Check each deployment of two stacks'],
    ['policy attach policies --tag tier=prod', 'Check each deployment of the stacks with a tag'],
  ],
  'audit ls': [['audit ls --limit 20', 'List the newest changes and refused requests']],
  'drift ls': [['drift ls --drifted', 'List the stacks with drift']],
  'notification create': [
    ['notification create ops --url https://example.com/hook --all', 'Report failures and drift'],
  ],
  'platform deploy': [
    ['platform deploy --region eu-central-1 --preview', 'Show the changes'],
    ['platform deploy --region eu-central-1', 'Show the changes, confirm, deploy'],
    ['platform deploy --set executorsMax=50 --set logDays=30', 'Change settings'],
  ],
  'platform verify': [
    ['platform verify --region eu-central-1', 'Run all checks'],
    ['platform verify --only chain --only park --json', 'Run two checks'],
  ],
  'provider check': [
    [
      'provider check ./pulumi-resource-shop --yes',
      'Check a plugin of Pulumi with generated inputs',
    ],
    ['provider check hashicorp/time 0.14.0 --yes', 'Check a Terraform provider of a registry'],
    [
      'provider check ./terraform-provider-shop --config inputs.json --junit report.xml --yes',
      'Check it with inputs of a file, and write a report for CI',
    ],
  ],
  login: [
    ['login https://antichain.example.com', 'Use the stacks of an API'],
    ['login https://antichain.example.com --oidc', 'Log in from a CI job without a stored secret'],
  ],
  deploy: [
    ['deploy', 'Upload the program of the selected stack'],
    ['deploy --stack prod', 'Upload it for another stack'],
  ],
  'federation create': [
    [
      'federation create shop --issuer github --claim repository=acme/shop --role deploy --for shop/prod',
      'Admit jobs of a repository of GitHub',
    ],
  ],
  'token rotate': [['token rotate ci --overlap 1h', 'Replace the secret of a token']],
  'token create': [
    ['token create --admin', 'Create the first token'],
    ['token create ci --role deploy --for shop/prod --days 90', 'Create a token of one stack'],
  ],
}

/** Adds the examples of a command, if it has any, to its help. */
export function addExamples(command: Command): Command {
  const commandExamples = listExamples(commandPathOf(command))
  if (commandExamples.length === 0) return command
  const width = Math.max(...commandExamples.map(([args]) => args.length))
  const lines = commandExamples.map(
    ([args, purpose]) => `  $ antichain ${args.padEnd(width)}  ${purpose}`,
  )
  return command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`)
}

/** Returns the examples of a command by its path, such as `stack init`. */
export function listExamples(path: string): readonly Example[] {
  return examples[path] ?? []
}

/** Returns the path of a command without `antichain`, such as `stack init`. */
export function commandPathOf(command: Command): string {
  if (command.parent === null) return ''
  return `${commandPathOf(command.parent)} ${command.name()}`.trim()
}
