// Package cloud defines what naosu requests of the systems that run machines: small interfaces, each of which a provider implements or not. The
// packages below it are the providers.
package cloud
