/**
 * The expected duration in minutes of the create, update or delete of slow types, from the
 * services' documentation. It applies as long as the stack has recorded no duration of the call.
 */
export const expectedMinutesByType: ReadonlyMap<string, number> = new Map([
  ['aws:cloudfront/distribution:Distribution', 15],
  ['aws:docdb/cluster:Cluster', 15],
  ['aws:eks/cluster:Cluster', 15],
  ['aws:eks/nodeGroup:NodeGroup', 10],
  ['aws:elasticache/replicationGroup:ReplicationGroup', 20],
  ['aws:elasticsearch/domain:Domain', 30],
  ['aws:msk/cluster:Cluster', 40],
  ['aws:mq/broker:Broker', 20],
  ['aws:opensearch/domain:Domain', 30],
  ['aws:rds/cluster:Cluster', 15],
  ['aws:rds/clusterInstance:ClusterInstance', 20],
  ['aws:rds/instance:Instance', 20],
  ['aws:redshift/cluster:Cluster', 20],
  ['aws:transfer/server:Server', 10],
  ['azure-native:apimanagement:ApiManagementService', 45],
  ['azure-native:cache:Redis', 25],
  ['azure-native:containerservice:ManagedCluster', 10],
  ['azure-native:network:VirtualNetworkGateway', 45],
  ['azure-native:sql:ManagedInstance', 240],
  ['gcp:container/cluster:Cluster', 15],
  ['gcp:container/nodePool:NodePool', 10],
  ['gcp:redis/instance:Instance', 15],
  ['gcp:sql/databaseInstance:DatabaseInstance', 20],
])
