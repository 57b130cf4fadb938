// Ports on which no websites run. A request there could reach a mail server or a database.

/** The ports that every browser refuses ("bad ports" in the WHATWG fetch standard). */
const browserRefused = [
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]

/** Ports of databases, queues and control planes. Many of them accept commands without a password. */
const serviceOnly = [
  445, 873, 1433, 1521, 2181, 2375, 2376, 2377, 2379, 2380, 3306, 3389, 4369, 5432, 5672, 5900, 5984, 6379,
  7473, 7687, 9042, 9092, 9160, 9200, 9300, 10249, 10250, 10255, 11211, 26379, 27017, 27018, 27019, 28017,
]

export const refusedPorts: ReadonlySet<number> = new Set([...browserRefused, ...serviceOnly])
