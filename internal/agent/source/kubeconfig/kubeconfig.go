// Package kubeconfig reads what is used of kubeconfig files.
package kubeconfig

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// file is what is used of such a file
// (https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/).
type file struct {
	Current  string `yaml:"current-context"`
	Contexts []struct {
		Name    string `yaml:"name"`
		Context struct {
			Cluster string `yaml:"cluster"`
			User    string `yaml:"user"`
		} `yaml:"context"`
	} `yaml:"contexts"`
	Clusters []struct {
		Name    string  `yaml:"name"`
		Cluster Cluster `yaml:"cluster"`
	} `yaml:"clusters"`
	Users []struct {
		Name string `yaml:"name"`
		User User   `yaml:"user"`
	} `yaml:"users"`
}

// Cluster is the address of a cluster's API server and how to verify it.
type Cluster struct {
	Server     string `yaml:"server"`
	ServerName string `yaml:"tls-server-name"`
	Insecure   bool   `yaml:"insecure-skip-tls-verify"`
	CAFile     string `yaml:"certificate-authority"`
	CAData     string `yaml:"certificate-authority-data"`
	Proxy      string `yaml:"proxy-url"`
}

// User are the credentials for a cluster.
type User struct {
	Token     string `yaml:"token"`
	TokenFile string `yaml:"tokenFile"`
	CertFile  string `yaml:"client-certificate"`
	CertData  string `yaml:"client-certificate-data"`
	KeyFile   string `yaml:"client-key"`
	KeyData   string `yaml:"client-key-data"`
	Exec      any    `yaml:"exec"`
	Provider  any    `yaml:"auth-provider"`
	Username  string `yaml:"username"`
}

// Current is the cluster and user of a kubeconfig's current context.
func Current(text []byte) (Cluster, User, error) {
	var f file
	if err := yaml.Unmarshal(text, &f); err != nil {
		return Cluster{}, User{}, err
	}
	return f.current()
}

// current is the cluster and user of the current context.
func (k file) current() (c Cluster, u User, err error) {
	err = fmt.Errorf("no context %q", k.Current)
	for _, context := range k.Contexts {
		if context.Name != k.Current {
			continue
		}
		err = fmt.Errorf("no cluster %q", context.Context.Cluster)
		for _, named := range k.Clusters {
			if named.Name == context.Context.Cluster {
				c, err = named.Cluster, nil
			}
		}
		for _, named := range k.Users {
			if named.Name == context.Context.User {
				u = named.User
			}
		}
	}
	return c, u, err
}
