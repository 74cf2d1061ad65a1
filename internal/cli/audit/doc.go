// Package audit is the verb `naosu audit`: everything that is wrong with a cluster and everything that would be, most
// dangerous first, on a page for people, as data, or as SARIF for code hosts.
package audit
